#include "kernels/cuda/product_layout.hpp"

namespace roofcast {
namespace {

struct Types {
  cudaDataType operands = CUDA_R_32F;
  cudaDataType result = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
};

Types types_of(std::string_view precision) {
  if (precision == "tf32") return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F};
  if (precision == "fp16") return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  if (precision == "bf16") return {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  if (precision == "int8") return {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I};
  if (precision == "fp8") return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  return {};
}

}  // namespace

ProductLayout product_layout(const Probe& probe) {
  const Types types = types_of(probe.precision);
  const auto m = static_cast<std::uint64_t>(probe.m);
  const auto n = static_cast<std::uint64_t>(probe.n);
  const auto k = static_cast<std::uint64_t>(probe.k);
  return {.first = {types.operands, k, n, probe.k},
          .second = {types.operands, k, m, probe.k},
          .result = {types.result, n, m, probe.n},
          .compute = types.compute,
          .scale = types.scale};
}

}  // namespace roofcast
