// Operators that compute each value by itself.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cpu/cpu_kernel.hpp"
#include "kernels/cpu/crew.hpp"
#include "kernels/cpu/exponential.hpp"

namespace roofcast {
namespace {

constexpr std::size_t least_block = 1U << 12U;

// GELU by tanh: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), and tanh(y) = 2 / (1 + e^(-2y)) - 1.
// Source: Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016.
constexpr double gelu_cubic = 0.044715;
constexpr double gelu_scale = 0.7978845608028654;

template <std::size_t count>
std::vector<std::size_t> inputs(const Probe& probe) {
  return std::vector<std::size_t>(count, elements(probe));
}

template <class Function>
void over_all(const Probe& probe, Function&& value) {
  const std::size_t count = elements(probe);
  run_in_blocks(count, block_size(count, least_block), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) value(i);
  });
}

void add(const Probe& probe, const Operands& operands) {
  over_all(probe, [left = operands.inputs[0], right = operands.inputs[1],
                   out = operands.results](std::size_t i) { out[i] = left[i] + right[i]; });
}

Expected added(const Probe& /*probe*/, const Operands& operands, std::size_t at) {
  const double left = operands.inputs[0][at];
  const double right = operands.inputs[1][at];
  return {left + right, std::abs(left) + std::abs(right)};
}

void relu(const Probe& probe, const Operands& operands) {
  over_all(probe, [in = operands.inputs[0], out = operands.results](std::size_t i) {
    out[i] = std::max(in[i], 0.0F);
  });
}

Expected rectified(const Probe& /*probe*/, const Operands& operands, std::size_t at) {
  return {std::max(static_cast<double>(operands.inputs[0][at]), 0.0), 0};
}

void gelu(const Probe& probe, const Operands& operands) {
  constexpr auto twice_scale = static_cast<float>(-2 * gelu_scale);
  constexpr auto cubic = static_cast<float>(gelu_cubic);
  over_all(probe, [in = operands.inputs[0], out = operands.results](std::size_t i) {
    const float x = in[i];
    out[i] = x / (1.0F + exponential(twice_scale * (x + cubic * x * x * x)));
  });
}

Expected gelu_value(const Probe& /*probe*/, const Operands& operands, std::size_t at) {
  const double x = operands.inputs[0][at];
  return {x / 2 * (1 + std::tanh(gelu_scale * (x + gelu_cubic * x * x * x))), std::abs(x)};
}

}  // namespace

std::span<const CpuKernel> elementwise_kernels() {
  static constexpr std::array kernels = {
      CpuKernel{"add_tensor", inputs<2>, elements, add, added},
      CpuKernel{"relu", inputs<1>, elements, relu, rectified},
      CpuKernel{"gelu", inputs<1>, elements, gelu, gelu_value},
  };
  return kernels;
}

}  // namespace roofcast
