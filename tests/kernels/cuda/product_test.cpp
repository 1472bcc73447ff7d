#include <doctest/doctest.h>

#include <vector>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/product_layout.hpp"

namespace roofcast {
namespace {

const CudaKernel& product_kernel(std::string_view precision) {
  for (const CudaKernel& kernel : cuda_product_kernels()) {
    if (kernel.precisions.front() == precision) return kernel;
  }
  FAIL("no such kernel");
  return cuda_product_kernels().front();
}

double at(const std::vector<double>& values, const ColumnMatrix& matrix, std::uint64_t row,
          std::uint64_t column) {
  return values.at(row + column * static_cast<std::uint64_t>(matrix.stride));
}

TEST_CASE("product_layout: what cuBLASLt computes with it is what the reference expects") {
  const Probe probe{.op = "gemm", .precision = "fp16", .m = 3, .n = 5, .k = 7};
  const CudaKernel& kernel = product_kernel("fp16");
  const auto operands = kernel.inputs(probe, {});
  std::vector<std::vector<double>> inputs(2);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t place = 0; place < operands.at(i).values; ++place)
      inputs[i].push_back(input_value(operands[i].element, i, place));
  }
  const ProductLayout layout = product_layout(probe);
  REQUIRE(layout.first.rows == layout.second.rows);
  REQUIRE(layout.result.rows * layout.result.columns == kernel.results(probe, {}).values);
  std::vector<double> results(kernel.results(probe, {}).values, 99);

  for (std::uint64_t row = 0; row < layout.result.rows; ++row) {
    for (std::uint64_t column = 0; column < layout.result.columns; ++column) {
      double sum = 0;
      for (std::uint64_t i = 0; i < layout.first.rows; ++i)
        sum += at(inputs[1], layout.first, i, row) * at(inputs[0], layout.second, i, column);
      results.at(row + column * static_cast<std::uint64_t>(layout.result.stride)) = sum;
    }
  }

  const InputValues values = [&](std::size_t input, std::size_t place) { return inputs[input].at(place); };
  for (std::size_t i = 0; i < results.size(); ++i)
    CHECK(results[i] == doctest::Approx(kernel.expected(probe, {}, values, i).value));
}

TEST_CASE("product kernels: types of operands, results and sums") {
  struct Case {
    const char* precision;
    Element result;
    cudaDataType operand;
    cublasComputeType_t compute;
    int least;
  };
  for (const Case& each : {Case{"fp32", Element::fp32, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0},
                           Case{"tf32", Element::fp32, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 80},
                           Case{"fp16", Element::fp16, CUDA_R_16F, CUBLAS_COMPUTE_32F, 0},
                           Case{"bf16", Element::bf16, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 80},
                           Case{"int8", Element::int32, CUDA_R_8I, CUBLAS_COMPUTE_32I, 75},
                           Case{"fp8", Element::bf16, CUDA_R_8F_E4M3, CUBLAS_COMPUTE_32F, 89}}) {
    CAPTURE(each.precision);
    const Probe probe{.op = "gemm", .precision = each.precision, .m = 16, .n = 32, .k = 64};
    const CudaKernel& kernel = product_kernel(each.precision);
    CHECK(kernel.results(probe, {}).element == each.result);
    CHECK(static_cast<double>(size_of(each.result)) == product_bytes(each.precision));
    CHECK(product_layout(probe).first.type == each.operand);
    CHECK(product_layout(probe).compute == each.compute);
    CHECK(kernel.least_compute_capability == each.least);
    CHECK(kernel.needs_cublas_lt);
  }
}

TEST_CASE("find_cuda_kernel: nothing that the device or its libraries do not have") {
  const CudaDevice turing{.units = 40, .compute_capability = 75};

  CHECK(find_cuda_kernel("gemm", "fp32", turing) == nullptr);  // there is no cuBLASLt
  CHECK(find_cuda_kernel("relu", "bf16", turing) != nullptr);
  CHECK(find_cuda_kernel("relu", "fp8", turing) == nullptr);
  for (const SupportedOp& each : supported_ops(turing))
    CHECK(find_cuda_kernel(each.op, each.precision, turing) != nullptr);
}

}  // namespace
}  // namespace roofcast
