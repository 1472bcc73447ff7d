#pragma once
// The plainest of all predictions, to see what a model earns beyond it.

#include "engine/kernel_time/kernel_time.hpp"
#include "engine/lower/compiled_program.hpp"

namespace roofcast {

/// The longer of arithmetic and bytes at the data sheet's peaks:
///
///     t = max(2 M / P, B / W)
///
/// M: multiply-adds executed, without what a causal mask skips, P: dense peak of the kernel's arithmetic, B:
/// bytes read and written, W: memory bandwidth. No launches, no efficiencies, nothing fitted. Source:
/// Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009. Example: 1 GB copied at 1 TB/s takes 1 ms.
Seconds roofline(const BoundKernel& kernel, const Device& device);

/// The sum over a program's kernels with the sizes of `slots`.
Seconds roofline(const CompiledProgram& program, std::span<const std::int64_t> slots, const Device& device);

}  // namespace roofcast
