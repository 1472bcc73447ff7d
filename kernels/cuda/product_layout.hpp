#pragma once
// A matrix product as cuBLASLt wants it.

#include <cublasLt.h>

#include <cstdint>

#include "kernels/probe.hpp"

namespace roofcast {

/// A matrix in columns: element (row, column) lies at row + column * stride.
struct ColumnMatrix {
  cudaDataType type = CUDA_R_32F;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::int64_t stride = 0;
};

/// c (m x n) = a (m x k) w^T, w (n x k) as networks store weights, all in rows. A matrix in rows is its
/// transpose in columns, and cuBLASLt computes
///
///     c^T (n x m) = op(first) second,  first = w^T (k x n), op: transpose,  second = a^T (k x m)
///
/// which is also the only form that it has for int8 and fp8. Sums are in fp32, of int8 in int32. Source:
/// cuBLAS library 13.0, cublasLtMatmul.
struct ProductLayout {
  ColumnMatrix first{};
  ColumnMatrix second{};
  ColumnMatrix result{};
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
};

ProductLayout product_layout(const Probe& probe);

}  // namespace roofcast
