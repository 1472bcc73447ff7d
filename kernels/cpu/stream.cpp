// copy, read, write and triad.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cpu/cpu_kernel.hpp"
#include "kernels/cpu/crew.hpp"

namespace roofcast {
namespace {

constexpr std::size_t least_block = 1U << 12U;
constexpr float written_value = 1.25F;
constexpr float triad_factor = 0.4F;  // BabelStream's

std::size_t block_of(const Probe& probe) {
  return block_size(elements(probe), least_block);
}

template <std::size_t count>
std::vector<std::size_t> inputs(const Probe& probe) {
  return std::vector<std::size_t>(count, elements(probe));
}

void copy(const Probe& probe, const Operands& operands) {
  run_in_blocks(elements(probe), block_of(probe), [&](std::size_t first, std::size_t last) {
    const float* in = operands.inputs[0];
    float* out = operands.results;
    for (std::size_t i = first; i < last; ++i) out[i] = in[i];
  });
}

Expected copied(const Probe& /*probe*/, const Operands& operands, std::size_t at) {
  return {operands.inputs[0][at], 0};
}

// Independent sums, so that the compiler may add several at a time.
float sum_of(const float* in, std::size_t count) {
  constexpr std::size_t lanes = 32;
  std::array<float, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += in[i + lane];
  }
  float sum = 0;
  for (; i < count; ++i) sum += in[i];
  for (const float part : sums) sum += part;
  return sum;
}

// Each block writes its sum.
void read(const Probe& probe, const Operands& operands) {
  const std::size_t block = block_of(probe);
  run_in_blocks(elements(probe), block, [&](std::size_t first, std::size_t last) {
    operands.results[first / block] = sum_of(operands.inputs[0] + first, last - first);
  });
}

std::size_t blocks(const Probe& probe) {
  return (elements(probe) + block_of(probe) - 1) / block_of(probe);
}

Expected summed(const Probe& probe, const Operands& operands, std::size_t at) {
  const std::size_t block = block_of(probe);
  Expected expected;
  for (std::size_t i = at * block; i < std::min((at + 1) * block, elements(probe)); ++i) {
    expected.value += operands.inputs[0][i];
    expected.magnitude += std::abs(operands.inputs[0][i]);
  }
  return expected;
}

void write(const Probe& probe, const Operands& operands) {
  run_in_blocks(elements(probe), block_of(probe), [&](std::size_t first, std::size_t last) {
    float* out = operands.results;
    for (std::size_t i = first; i < last; ++i) out[i] = written_value;
  });
}

Expected written(const Probe& /*probe*/, const Operands& /*operands*/, std::size_t /*at*/) {
  return {written_value, 0};
}

void triad(const Probe& probe, const Operands& operands) {
  run_in_blocks(elements(probe), block_of(probe), [&](std::size_t first, std::size_t last) {
    const float* left = operands.inputs[0];
    const float* right = operands.inputs[1];
    float* out = operands.results;
    for (std::size_t i = first; i < last; ++i) out[i] = left[i] + triad_factor * right[i];
  });
}

Expected triad_value(const Probe& /*probe*/, const Operands& operands, std::size_t at) {
  const double left = operands.inputs[0][at];
  const double right = static_cast<double>(triad_factor) * operands.inputs[1][at];
  return {left + right, std::abs(left) + std::abs(right)};
}

}  // namespace

std::span<const CpuKernel> stream_kernels() {
  static constexpr std::array kernels = {
      CpuKernel{"stream_copy", inputs<1>, elements, copy, copied},
      CpuKernel{"stream_read", inputs<1>, blocks, read, summed},
      CpuKernel{"stream_write", inputs<0>, elements, write, written},
      CpuKernel{"stream_triad", inputs<2>, elements, triad, triad_value},
  };
  return kernels;
}

}  // namespace roofcast
