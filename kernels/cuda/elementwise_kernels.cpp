// Operators that compute each value by itself.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cuda/by_precision.hpp"
#include "kernels/cuda/cuda_kernel.hpp"

namespace roofcast {
namespace {

ExpectedResult added(const Probe& /*probe*/, const CudaDevice& /*device*/, const InputValues& inputs,
                     std::size_t at) {
  const double left = inputs(0, at);
  const double right = inputs(1, at);
  return {left + right, std::abs(left) + std::abs(right)};
}

ExpectedResult rectified(const Probe& /*probe*/, const CudaDevice& /*device*/, const InputValues& inputs,
                         std::size_t at) {
  return {std::max(inputs(0, at), 0.0), 0};
}

ExpectedResult gelu_value(const Probe& /*probe*/, const CudaDevice& /*device*/, const InputValues& inputs,
                          std::size_t at) {
  const double x = inputs(0, at);
  return {x / 2 * (1 + std::tanh(GeluCore::scale * (x + GeluCore::cubic * x * x * x))), std::abs(x)};
}

}  // namespace

std::span<const CudaKernel> cuda_elementwise_kernels() {
  static constexpr std::array kernels = {
      CudaKernel{"add_tensor", float_precisions, same_inputs<2>, same_results, prepare_map<AddCore>, added},
      CudaKernel{"relu", float_precisions, same_inputs<1>, same_results, prepare_map<ReluCore>, rectified},
      CudaKernel{"gelu", float_precisions, same_inputs<1>, same_results, prepare_map<GeluCore>, gelu_value},
  };
  return kernels;
}

}  // namespace roofcast
