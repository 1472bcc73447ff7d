#pragma once
// From a program's memory events to the peak of a configuration.

#include <span>

#include "engine/hardware/device.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/hardware/runtime.hpp"
#include "engine/lower/compiled_program.hpp"
#include "engine/memory/memory_plan.hpp"

namespace roofcast {

/// What is alive at the moment of the peak, besides weights, inputs and optimizer state.
struct MemoryPeak {
  double activations = 0;
  double gradients = 0;
  double workspace = 0;

  double total() const { return activations + gradients + workspace; }
};

/// Walks the events. A block that repeats R times, whose repetition peaks p above its start and leaves d more
/// than it found, peaks at p + max(0, (R - 1) d) and leaves R d: the peak lies in the first or the last
/// repetition.
MemoryPeak memory_peak(std::span<const MemoryEvent> events, std::span<const std::int64_t> slots);

/// The plan at the slots' values. It fits (yes) if the needed memory and `memory_spread` of all but the
/// framework's part stay within what is usable, it does not (no) if the needed memory alone does not, else it
/// is marginal.
MemoryPlan plan_memory(const CompiledProgram& compiled, std::span<const std::int64_t> slots,
                       const Device& device, const Runtime& runtime, const Priors& priors);

}  // namespace roofcast
