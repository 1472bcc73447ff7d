// Softmax and layer norm.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cuda/by_precision.hpp"
#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/row.hpp"

namespace roofcast {
namespace {

std::size_t columns_of(const Probe& probe) {
  return static_cast<std::size_t>(probe.n);
}

RowArguments row_arguments(const Probe& probe, const CudaOperands& operands) {
  return {operands.inputs[0], operands.inputs[1], operands.inputs[2], operands.results, probe.m, probe.n};
}

Result<Launch> prepare_softmax(const Probe& probe, const CudaDevice& /*device*/) {
  return by_precision(probe.precision, [&]<class Number>(Number /*type*/) {
    return Launch{[probe](const CudaOperands& operands, cudaStream_t stream) {
                    return launch_softmax<Number>(row_arguments(probe, operands), stream);
                  },
                  {}};
  });
}

ExpectedResult softmax_value(const Probe& probe, const CudaDevice& /*device*/, const InputValues& inputs,
                             std::size_t at) {
  const std::size_t first = at / columns_of(probe) * columns_of(probe);
  double most = inputs(0, first);
  for (std::size_t i = 1; i < columns_of(probe); ++i) most = std::max(most, inputs(0, first + i));
  double total = 0;
  for (std::size_t i = 0; i < columns_of(probe); ++i) total += std::exp(inputs(0, first + i) - most);
  const double value = std::exp(inputs(0, at) - most) / total;
  return {value, value};
}

// The rows, and a factor and a term for each column.
std::vector<Operand> layer_norm_inputs(const Probe& probe, const CudaDevice& /*device*/) {
  const Element element = element_of(probe.precision);
  return {{element, cuda_elements(probe)}, {element, columns_of(probe)}, {element, columns_of(probe)}};
}

Result<Launch> prepare_layer_norm(const Probe& probe, const CudaDevice& /*device*/) {
  return by_precision(probe.precision, [&]<class Number>(Number /*type*/) {
    return Launch{[probe](const CudaOperands& operands, cudaStream_t stream) {
                    return launch_layer_norm<Number>(row_arguments(probe, operands), stream);
                  },
                  {}};
  });
}

ExpectedResult layer_norm_value(const Probe& probe, const CudaDevice& /*device*/, const InputValues& inputs,
                                std::size_t at) {
  const auto count = static_cast<double>(probe.n);
  const std::size_t column = at % columns_of(probe);
  const std::size_t first = at - column;
  double mean = 0;
  for (std::size_t i = 0; i < columns_of(probe); ++i) mean += inputs(0, first + i) / count;
  double variance = 0;
  for (std::size_t i = 0; i < columns_of(probe); ++i)
    variance += (inputs(0, first + i) - mean) * (inputs(0, first + i) - mean) / count;
  const double scale = inputs(1, column) / std::sqrt(variance + layer_norm_epsilon);
  const double term = inputs(2, column);
  return {(inputs(0, at) - mean) * scale + term,
          (std::abs(inputs(0, at)) + std::abs(mean)) * std::abs(scale) + std::abs(term)};
}

}  // namespace

std::span<const CudaKernel> cuda_row_kernels() {
  static constexpr std::array kernels = {
      CudaKernel{"softmax", float_precisions, same_inputs<1>, same_results, prepare_softmax, softmax_value},
      CudaKernel{"layernorm", float_precisions, layer_norm_inputs, same_results, prepare_layer_norm,
                 layer_norm_value},
  };
  return kernels;
}

}  // namespace roofcast
