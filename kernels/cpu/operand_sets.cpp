#include "kernels/cpu/operand_sets.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/base/threads.hpp"
#include "kernels/random.hpp"

namespace roofcast {
namespace {

constexpr std::size_t float_bytes = sizeof(float);
constexpr std::size_t alignment = 64;

/// Each operand begins on a cache line of its own.
std::size_t padded(std::size_t values) {
  constexpr std::size_t line = alignment / float_bytes;
  return (values + line - 1) / line * line;
}

std::size_t values_in_set(const CpuKernel& kernel, const Probe& probe) {
  std::size_t values = padded(kernel.result_size(probe));
  for (const std::size_t input : kernel.input_sizes(probe)) values += padded(input);
  return values;
}

// A prime number of values, which large inputs repeat: no two rows of a matrix are the same.
std::vector<float> normal_pattern(std::uint64_t seed) {
  std::vector<float> pattern(65521);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<float>(random_normal(seed, i));
  return pattern;
}

void fill(float* values, std::size_t count, const std::vector<float>& pattern) {
  for_each_block(count, block_size(count, 1U << 16U), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last;) {
      const std::size_t at = i % pattern.size();
      const std::size_t piece = std::min(pattern.size() - at, last - i);
      std::memcpy(values + i, pattern.data() + at, piece * float_bytes);
      i += piece;
    }
  });
}

}  // namespace

std::size_t operand_sets(const CpuKernel& kernel, const Probe& probe, Bytes cache) {
  if (probe.residency == Residency::warm) return 1;
  const auto needed = 2 * cache.value;
  const auto set = static_cast<double>(values_in_set(kernel, probe) * float_bytes);
  return set >= needed ? 1 : static_cast<std::size_t>(std::ceil(needed / set)) + 1;
}

Bytes operand_bytes(const CpuKernel& kernel, const Probe& probe, std::size_t sets) {
  return Bytes{static_cast<double>(sets * values_in_set(kernel, probe) * float_bytes)};
}

Result<OperandSets> OperandSets::make(const CpuKernel& kernel, const Probe& probe, std::size_t sets,
                                      std::uint64_t seed) {
  const std::size_t values = sets * values_in_set(kernel, probe);
  OperandSets result;
  result.memory_.reset(static_cast<float*>(std::aligned_alloc(alignment, values * float_bytes)));
  if (!result.memory_) return fail("not enough memory");
  // The first to touch a page decides where it lies: the threads that will use it.
  fill(result.memory_.get(), values, normal_pattern(seed));
  float* next = result.memory_.get();
  for (std::size_t set = 0; set < sets; ++set) {
    Operands operands;
    const std::vector<std::size_t> inputs = kernel.input_sizes(probe);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      operands.inputs.at(i) = next;
      next += padded(inputs[i]);
    }
    operands.results = next;
    next += padded(kernel.result_size(probe));
    std::fill_n(operands.results, kernel.result_size(probe), std::numeric_limits<float>::quiet_NaN());
    result.sets_.push_back(operands);
  }
  return result;
}

}  // namespace roofcast
