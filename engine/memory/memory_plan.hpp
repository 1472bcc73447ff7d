#pragma once
// How much memory a configuration needs, by category, and whether it fits.

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/base/units.hpp"

namespace roofcast {

enum class MemoryCategory : std::uint8_t {
  weights,
  gradients,
  optimizer_state,
  activations,
  kv_cache,
  inputs,
  workspace,
  framework
};
inline constexpr std::size_t memory_categories = 8;

std::string_view to_string(MemoryCategory category);  // "optimizer_state"

enum class Fit : std::uint8_t { yes, marginal, no };

std::string_view to_string(Fit fit);

/// Memory on one device at the moment of the peak. The categories sum to `needed`.
struct MemoryPlan {
  std::array<Bytes, memory_categories> by_category{};
  Bytes needed{};    ///< with the framework's context: what must be free for the run to succeed
  Bytes reserved{};  ///< what the framework's allocator holds
  Bytes device{};    ///< what nvidia-smi would show
  Bytes usable{};    ///< what the card has for an application
  Fit fits = Fit::yes;

  Bytes operator[](MemoryCategory category) const { return by_category[static_cast<std::size_t>(category)]; }
};

}  // namespace roofcast
