#include "engine/hardware/price.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

Offer offer(const char* cloud, int gpus, double usd_per_hour) {
  return {.cloud = cloud,
          .instance = std::string(cloud) + "-instance",
          .gpu = "toy",
          .gpu_count = gpus,
          .on_demand = UsdPerHour{usd_per_hour},
          .as_of = "2026-07"};
}

TEST_CASE("cheapest_on_demand: per GPU, not per instance") {
  const auto price = cheapest_on_demand({offer("one", 1, 3), offer("eight", 8, 16)});

  REQUIRE(price.has_value());
  CHECK(price->per_gpu.value == 2.0);
  CHECK(price->cloud == "eight");
  CHECK(price->instance == "eight-instance");
  CHECK(price->as_of == "2026-07");
}

TEST_CASE("cheapest_on_demand: no offers, no price") {
  Offer spot_only = offer("spot", 1, 1);
  spot_only.spot = spot_only.on_demand;
  spot_only.on_demand.reset();

  CHECK_FALSE(cheapest_on_demand({}).has_value());
  CHECK_FALSE(cheapest_on_demand({spot_only}).has_value());
}

TEST_CASE("cheapest_on_demand: a doubtful or undated offer only without a better one") {
  Offer doubtful = offer("doubtful", 1, 1);
  doubtful.doubtful = true;
  Offer undated = offer("undated", 1, 2);
  undated.as_of.clear();

  CHECK(cheapest_on_demand({doubtful, undated, offer("sound", 1, 9)})->cloud == "sound");
  CHECK(cheapest_on_demand({doubtful, undated})->cloud == "undated");
  CHECK(cheapest_on_demand({doubtful})->cloud == "doubtful");
}

TEST_CASE("cheapest_on_demand: equal prices are decided by name, not by order") {
  CHECK(cheapest_on_demand({offer("b", 1, 1), offer("a", 1, 1)})->cloud == "a");
  CHECK(cheapest_on_demand({offer("a", 1, 1), offer("b", 1, 1)})->cloud == "a");
}

TEST_CASE("cheapest_on_demand: an offer of no cards is no offer") {
  CHECK_FALSE(cheapest_on_demand({offer("none", 0, 1)}).has_value());
}

}  // namespace
}  // namespace roofcast
