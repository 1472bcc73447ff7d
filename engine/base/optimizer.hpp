#pragma once
// The optimizers that a training step may end with; `none`: forward and backward pass only.

#include <cstdint>
#include <optional>
#include <string_view>

namespace roofcast {

enum class Optimizer : std::uint8_t { none, sgd, momentum, adam, adamw };

std::string_view to_string(Optimizer optimizer);
std::optional<Optimizer> parse_optimizer(std::string_view name);

/// fp32 values kept per parameter besides the parameter and its gradient: 0, 1 (velocity) or 2 (both
/// moments).
constexpr int state_values(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::none:
    case Optimizer::sgd: return 0;
    case Optimizer::momentum: return 1;
    case Optimizer::adam:
    case Optimizer::adamw: return 2;
  }
  return 0;
}

}  // namespace roofcast
