// Softmax and layer norm: each row in three passes, of which the second and third find it in the cache.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cpu/cpu_kernel.hpp"
#include "kernels/cpu/crew.hpp"
#include "kernels/cpu/exponential.hpp"

namespace roofcast {
namespace {

constexpr std::size_t lanes = 16;
constexpr double epsilon = 1e-5;

std::size_t columns_of(const Probe& probe) {
  return static_cast<std::size_t>(probe.n);
}

// Sum of function(i) for i below count, in several sums at a time.
template <class Function>
float sum(std::size_t count, Function&& function) {
  std::array<float, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += function(i + lane);
  }
  float total = 0;
  for (; i < count; ++i) total += function(i);
  for (const float part : sums) total += part;
  return total;
}

float largest(const float* row, std::size_t count) {
  std::array<float, lanes> most{};
  most.fill(row[0]);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) most[lane] = std::max(most[lane], row[i + lane]);
  }
  float result = *std::ranges::max_element(most);
  for (; i < count; ++i) result = std::max(result, row[i]);
  return result;
}

template <class Function>
void over_rows(const Probe& probe, Function&& row) {
  constexpr std::size_t least_values = 1U << 12U;
  const auto rows = static_cast<std::size_t>(probe.m);
  run_in_blocks(rows, block_size(rows, std::max<std::size_t>(1, least_values / columns_of(probe)), 1),
                [&](std::size_t first, std::size_t last) {
                  for (std::size_t i = first; i < last; ++i) row(i * columns_of(probe));
                });
}

std::vector<std::size_t> softmax_inputs(const Probe& probe) {
  return {elements(probe)};
}

void softmax(const Probe& probe, const Operands& operands) {
  const std::size_t count = columns_of(probe);
  over_rows(probe, [&](std::size_t begin) {
    const float* in = operands.inputs[0] + begin;
    float* out = operands.results + begin;
    const float most = largest(in, count);
    for (std::size_t i = 0; i < count; ++i) out[i] = exponential(in[i] - most);
    const float scale = 1.0F / sum(count, [out](std::size_t i) { return out[i]; });
    for (std::size_t i = 0; i < count; ++i) out[i] *= scale;
  });
}

Expected softmax_value(const Probe& probe, const Operands& operands, std::size_t at) {
  const std::size_t count = columns_of(probe);
  const float* row = operands.inputs[0] + at / count * count;
  const double most = *std::max_element(row, row + count);
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += std::exp(row[i] - most);
  const double value = std::exp(row[at % count] - most) / total;
  return {value, value};
}

// The row, and a factor and a term for each column.
std::vector<std::size_t> layer_norm_inputs(const Probe& probe) {
  return {elements(probe), columns_of(probe), columns_of(probe)};
}

void layer_norm(const Probe& probe, const Operands& operands) {
  const std::size_t count = columns_of(probe);
  const float share = 1.0F / static_cast<float>(count);
  const float* factor = operands.inputs[1];
  const float* term = operands.inputs[2];
  over_rows(probe, [&](std::size_t begin) {
    const float* in = operands.inputs[0] + begin;
    float* out = operands.results + begin;
    const float mean = share * sum(count, [in](std::size_t i) { return in[i]; });
    const float variance =
        share * sum(count, [in, mean](std::size_t i) { return (in[i] - mean) * (in[i] - mean); });
    const float scale = 1.0F / std::sqrt(variance + static_cast<float>(epsilon));
    for (std::size_t i = 0; i < count; ++i) out[i] = (in[i] - mean) * scale * factor[i] + term[i];
  });
}

Expected layer_norm_value(const Probe& probe, const Operands& operands, std::size_t at) {
  const std::size_t count = columns_of(probe);
  const float* row = operands.inputs[0] + at / count * count;
  const std::size_t column = at % count;
  double mean = 0;
  for (std::size_t i = 0; i < count; ++i) mean += row[i] / static_cast<double>(count);
  double variance = 0;
  for (std::size_t i = 0; i < count; ++i)
    variance += (row[i] - mean) * (row[i] - mean) / static_cast<double>(count);
  const double scale = operands.inputs[1][column] / std::sqrt(variance + epsilon);
  const double term = operands.inputs[2][column];
  return {(row[column] - mean) * scale + term,
          (std::abs(row[column]) + std::abs(mean)) * std::abs(scale) + std::abs(term)};
}

}  // namespace

std::span<const CpuKernel> row_kernels() {
  static constexpr std::array kernels = {
      CpuKernel{"softmax", softmax_inputs, elements, softmax, softmax_value},
      CpuKernel{"layernorm", layer_norm_inputs, elements, layer_norm, layer_norm_value},
  };
  return kernels;
}

}  // namespace roofcast
