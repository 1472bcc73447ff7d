#include "engine/memory/plan_memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace roofcast {
namespace {

using Kind = MemoryEvent::Kind;

/// One level of repetition: what is alive since its begin, and the highest that this has been.
struct Level {
  double repeats = 1;
  std::array<double, 2> alive{};  // by account
  MemoryPeak peak{};

  double& of(MemoryEvent::Account account) { return alive[static_cast<std::size_t>(account)]; }
  void note(double workspace) {
    if (alive[0] + alive[1] + workspace > peak.total()) peak = {alive[0], alive[1], workspace};
  }
};

// What a finished block does to the level around it.
void finish(const Level& block, Level& outer) {
  const double net = block.alive[0] + block.alive[1];
  const double earlier = net > 0 ? block.repeats - 1 : 0;  // repetitions before the one that peaks
  const MemoryPeak peak{outer.alive[0] + earlier * block.alive[0] + block.peak.activations,
                        outer.alive[1] + earlier * block.alive[1] + block.peak.gradients,
                        block.peak.workspace};
  if (peak.total() > outer.peak.total()) outer.peak = peak;
  outer.alive[0] += block.repeats * block.alive[0];
  outer.alive[1] += block.repeats * block.alive[1];
  outer.note(0);
}

}  // namespace

MemoryPeak memory_peak(std::span<const MemoryEvent> events, std::span<const std::int64_t> slots) {
  constexpr std::size_t usual_depth = 8;
  std::vector<Level> levels;
  levels.reserve(usual_depth);
  levels.emplace_back();
  for (const MemoryEvent& event : events) {
    const auto size = static_cast<double>(slots[static_cast<std::size_t>(event.slot)]);
    Level& level = levels.back();
    switch (event.kind) {
      case Kind::allocate:
        level.of(event.account) += size;
        level.note(0);
        break;
      case Kind::release: level.of(event.account) -= size; break;
      case Kind::workspace: level.note(size); break;
      case Kind::region_begin: levels.push_back({.repeats = size}); break;
      case Kind::region_end: {
        const Level block = level;
        levels.pop_back();
        finish(block, levels.back());
        break;
      }
    }
  }
  return levels.front().peak;
}

MemoryPlan plan_memory(const CompiledProgram& compiled, std::span<const std::int64_t> slots,
                       const Device& device, const Runtime& runtime, const Priors& priors) {
  const auto bytes = [&](Slot slot) {
    return Bytes{static_cast<double>(slots[static_cast<std::size_t>(slot)])};
  };
  const MemoryPeak peak = memory_peak(compiled.memory, slots);
  MemoryPlan plan{.usable = device.usable};
  const auto set = [&](MemoryCategory category, Bytes amount) {
    plan.by_category[static_cast<std::size_t>(category)] = amount;
    plan.needed += amount;
  };
  // What the files hold is exact: it knows which tensors have which type. Layers that are left out with --set
  // go by their mean.
  const auto& per_value = compiled.program.stored_bytes_per_value;
  set(MemoryCategory::weights, per_value
                                   ? *per_value * (bytes(compiled.parameters) + bytes(compiled.statistics))
                                   : bytes(compiled.weight_bytes));
  set(MemoryCategory::gradients, Bytes{peak.gradients});
  set(MemoryCategory::optimizer_state, bytes(compiled.optimizer_bytes));
  set(MemoryCategory::activations, Bytes{peak.activations});
  if (compiled.cache_bytes >= 0) set(MemoryCategory::kv_cache, bytes(compiled.cache_bytes));
  set(MemoryCategory::inputs, bytes(compiled.input_bytes));
  set(MemoryCategory::workspace, Bytes{peak.workspace});
  set(MemoryCategory::framework, runtime.context);

  const Bytes held = plan.needed - runtime.context;
  const Bytes segment = mebibytes(2);  // what the caching allocator asks the driver for
  plan.reserved = segment * std::ceil(held / segment);
  plan.device = plan.reserved + runtime.context;
  const Bytes high = plan.needed + held * priors.memory_spread;
  plan.fits = plan.needed > plan.usable ? Fit::no : high > plan.usable ? Fit::marginal : Fit::yes;
  return plan;
}

}  // namespace roofcast
