#pragma once
// Kernels as a benchmark of single operators sees them.

#include <span>

#include "engine/hardware/harness.hpp"
#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// What a benchmark leaves in the cache: weights of a matrix product that take turns stay there if all of
/// them fit.
///
///     cached = 1 / (1 + ((copies weights + further operands) / (0.7 L2))^4)
double cached_share(const BoundKernel& kernel, int weight_copies, const Machine& machine);

/// Kernels that run by themselves, over and over, as in a benchmark.
Seconds benchmark_time(std::span<const BoundKernel> kernels, const TimeModel& model, const Harness& harness);

}  // namespace roofcast
