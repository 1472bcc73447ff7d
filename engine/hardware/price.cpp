#include "engine/hardware/price.hpp"

#include <tuple>

namespace roofcast {

std::optional<Price> cheapest_on_demand(const std::vector<Offer>& offers) {
  const Offer* best = nullptr;
  const auto rank = [](const Offer& offer) {
    return std::tuple{offer.doubtful, offer.as_of.empty(), offer.on_demand->value / offer.gpu_count,
                      offer.cloud, offer.instance};
  };
  for (const Offer& offer : offers) {
    if (!offer.on_demand || offer.gpu_count < 1) continue;
    if (best == nullptr || rank(offer) < rank(*best)) best = &offer;
  }
  if (best == nullptr) return std::nullopt;
  return Price{*best->on_demand / best->gpu_count, best->cloud, best->instance, best->as_of};
}

}  // namespace roofcast
