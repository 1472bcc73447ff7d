#include "engine/memory/memory_plan.hpp"

namespace roofcast {

std::string_view to_string(MemoryCategory category) {
  static constexpr std::array<std::string_view, memory_categories> names = {
      "weights",  "gradients", "optimizer_state", "activations",
      "kv_cache", "inputs",    "workspace",       "framework"};
  return names[static_cast<std::size_t>(category)];
}

std::string_view to_string(Fit fit) {
  switch (fit) {
    case Fit::yes: return "yes";
    case Fit::marginal: return "marginal";
    case Fit::no: return "no";
  }
  return "?";
}

}  // namespace roofcast
