#include "engine/io/load_offers.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

const std::string head = "schema = 1\nname = \"cloud\"\ntitle = \"A Cloud\"\n[[offer]]\n";

std::string complaints(const std::string& offer) {
  const auto offers = load_offers(head + offer, "clouds/cloud.toml");
  return offers ? std::string("no mistakes") : to_string(offers.error());
}

TEST_CASE("load_offers: an offer keeps its prices for the whole instance") {
  const auto offers = load_offers(head + R"(gpu = "t4"
instance = "big"
gpu_count = 4
region = "here"
usd_per_hour = 2
spot_usd_per_hour = 0.5
as_of = "2026-05"
source = "price page"
)",
                                  "clouds/cloud.toml");

  REQUIRE(offers.has_value());
  REQUIRE(offers->size() == 1);
  const Offer& offer = offers->front();
  CHECK(offer.cloud == "cloud");
  CHECK(offer.gpu == "t4");
  CHECK(offer.gpu_count == 4);
  CHECK(offer.on_demand->value == 2.0);
  CHECK(offer.spot->value == 0.5);
  CHECK(offer.as_of == "2026-05");
}

TEST_CASE("load_offers: an offer without any price is a mistake") {
  CHECK(complaints("gpu = \"t4\"\ninstance = \"i\"\ngpu_count = 1\nsource = \"page\"\n") ==
        "clouds/cloud.toml:4:1: error: an offer needs 'usd_per_hour' or 'spot_usd_per_hour'\n");
}

TEST_CASE("load_offers: dates are checked, and so are months") {
  CHECK(complaints("gpu = \"t4\"\ninstance = \"i\"\ngpu_count = 1\nusd_per_hour = 1\nsource = \"page\"\n"
                   "as_of = \"2026-13\"\n") ==
        "clouds/cloud.toml:10:9: error: 'as_of' must be a date such as \"2026-05\" or \"2026-05-31\", not "
        "'2026-13'\n"
        "  hint: leave it out if the date is unknown\n");
}

TEST_CASE("load_offers: a price to doubt is used only if there is no other") {
  const std::string price =
      "gpu = \"t4\"\ninstance = \"i\"\ngpu_count = 1\nas_of = \"2026-05\"\nsource = \"page\"\n";
  const auto offers = load_offers(
      head + price + "usd_per_hour = 1\nconfidence = \"low\"\n[[offer]]\n" + price + "usd_per_hour = 2\n",
      "c.toml");

  REQUIRE(offers.has_value());
  CHECK(cheapest_on_demand(*offers)->per_gpu.value == 2.0);
  CHECK(cheapest_on_demand({offers->front()})->per_gpu.value == 1.0);
}

TEST_CASE("load_offers: free cards do not exist") {
  CHECK(complaints("gpu = \"t4\"\ninstance = \"i\"\ngpu_count = 0\nusd_per_hour = 0\nsource = \"page\"\n") ==
        "clouds/cloud.toml:7:13: error: 'gpu_count' must be from 1 to 1000000000, not 0\n"
        "clouds/cloud.toml:8:16: error: 'usd_per_hour' must be a number above 0, not 0\n");
}

}  // namespace
}  // namespace roofcast
