#pragma once
// Kernels as a benchmark of single operators sees them.

#include <span>

#include "engine/hardware/harness.hpp"
#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// What a kernel of a benchmark reads again: all that it read the time before, and between lie the other
/// copies of its weights, where copies take turns.
Reuse<double> reuse_in_benchmark(const BoundKernel& kernel, int weight_copies);

/// Kernels that run by themselves, over and over, as in a benchmark.
Seconds benchmark_time(std::span<const BoundKernel> kernels, const TimeModel& model, const Harness& harness);

}  // namespace roofcast
