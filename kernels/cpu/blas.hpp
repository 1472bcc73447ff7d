#pragma once
// Matrix products by OpenBLAS, which chooses its kernels for the processor that it finds.

#include <cstdint>
#include <string>

namespace roofcast {

/// c (m x n) = a (m x k) b (k x n), all in rows.
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c);

/// "OpenBLAS 0.3.21 ... Zen ..."
std::string blas_version();

/// On so many threads.
void set_blas_threads(int threads);

}  // namespace roofcast
