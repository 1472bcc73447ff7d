#pragma once
// What an hour of a card costs, and who says so.

#include <optional>
#include <string>
#include <vector>

#include "engine/base/units.hpp"

namespace roofcast {

/// A cloud's offer of an instance with one or more of a card.
struct Offer {
  std::string cloud{};
  std::string instance{};
  std::string gpu{};  ///< device slug
  int gpu_count = 1;
  std::string region{};
  std::optional<UsdPerHour> on_demand{};  ///< whole instance
  std::optional<UsdPerHour> spot{};       ///< whole instance
  std::string as_of{};                    ///< YYYY-MM-DD or YYYY-MM; empty when unknown
  bool doubtful = false;                  ///< marked `confidence = "low"`: used only if there is nothing else
  std::string source{};
};

/// The price that a prediction uses: per GPU and hour.
struct Price {
  UsdPerHour per_gpu{};
  std::string cloud{};  ///< "user" when given on the command line
  std::string instance{};
  std::string as_of{};  ///< empty when unknown
};

/// The cheapest on-demand offer per GPU-hour. Doubtful ones and those without a date are used only if there
/// are no others; among equal prices the first in the order of cloud and instance.
std::optional<Price> cheapest_on_demand(const std::vector<Offer>& offers);

}  // namespace roofcast
