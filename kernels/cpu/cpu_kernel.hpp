#pragma once
// What the CPU backend knows about an operator.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/probe.hpp"

namespace roofcast {

struct Operands {
  std::array<const float*, 3> inputs{};
  float* results = nullptr;
};

/// What a result should be, in double precision. A single-precision kernel is right within a small share of
/// `magnitude`: the sum of the absolute values that were added up.
struct Expected {
  double value = 0;
  double magnitude = 0;
};

struct CpuKernel {
  std::string_view op{};
  std::vector<std::size_t> (*input_sizes)(const Probe& probe) = nullptr;  ///< values of each input
  std::size_t (*result_size)(const Probe& probe) = nullptr;
  void (*run)(const Probe& probe, const Operands& operands) = nullptr;
  Expected (*expected)(const Probe& probe, const Operands& operands, std::size_t result) = nullptr;
};

std::span<const CpuKernel> stream_kernels();
std::span<const CpuKernel> product_kernels();
std::span<const CpuKernel> elementwise_kernels();
std::span<const CpuKernel> row_kernels();

/// The operator's kernel; nullptr if there is none. kernels/cpu/cpu_kernel.cpp lists the families.
const CpuKernel* find_cpu_kernel(std::string_view op);

inline std::size_t elements(const Probe& probe) {
  return static_cast<std::size_t>(probe.m) * static_cast<std::size_t>(probe.n);
}

/// So many of `count` for each thread that all cores have one block, but at least `least`: below a few
/// thousand values another thread costs more than it brings. A multiple of `multiple`: a cache line of
/// values.
std::size_t block_size(std::size_t count, std::size_t least, std::size_t multiple = 16);

}  // namespace roofcast
