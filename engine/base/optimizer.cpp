#include "engine/base/optimizer.hpp"

namespace roofcast {

std::string_view to_string(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::none: return "none";
    case Optimizer::sgd: return "sgd";
    case Optimizer::momentum: return "momentum";
    case Optimizer::adam: return "adam";
    case Optimizer::adamw: return "adamw";
  }
  return "?";
}

std::optional<Optimizer> parse_optimizer(std::string_view name) {
  for (const Optimizer optimizer :
       {Optimizer::none, Optimizer::sgd, Optimizer::momentum, Optimizer::adam, Optimizer::adamw}) {
    if (to_string(optimizer) == name) return optimizer;
  }
  return std::nullopt;
}

}  // namespace roofcast
