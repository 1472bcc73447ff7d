// Every cloud's price list.

#include <algorithm>

#include "engine/io/load_offers.hpp"
#include "engine/io/named_file.hpp"
#include "engine/io/read_file.hpp"
#include "tests/hardware_db/database.hpp"

namespace roofcast {
namespace {

struct CloudFile {
  std::string stem{};
  std::vector<Offer> offers{};
};

std::vector<CloudFile> clouds() {
  std::vector<CloudFile> all;
  const std::filesystem::path folder = source_dir() / "hardware_db" / "clouds";
  for (const std::string& stem : toml_stems(folder)) {
    const std::filesystem::path file = folder / (stem + ".toml");
    auto offers = load_offers(read_text(file).value(), file.string());
    INFO("complaint: ", offers ? std::string("none") : to_string(offers.error()));
    REQUIRE(offers.has_value());
    all.push_back({stem, *std::move(offers)});
  }
  return all;
}

TEST_CASE("clouds: every file loads and offers something, under its own name") {
  const auto all = clouds();
  REQUIRE(all.size() >= 15);
  for (const CloudFile& cloud : all) {
    CAPTURE(cloud.stem);
    REQUIRE_FALSE(cloud.offers.empty());
    CHECK(cloud.offers.front().cloud == cloud.stem);
  }
}

TEST_CASE("clouds: offers are of cards that the database has") {
  const std::vector<std::string> slugs = data_folder().devices();
  for (const CloudFile& cloud : clouds()) {
    for (const Offer& offer : cloud.offers) {
      CAPTURE(cloud.stem);
      CAPTURE(offer.gpu);
      CHECK(std::ranges::binary_search(slugs, offer.gpu));
    }
  }
}

TEST_CASE("clouds: prices per GPU are neither gifts nor mistakes of a decimal") {
  for (const CloudFile& cloud : clouds()) {
    for (const Offer& offer : cloud.offers) {
      CAPTURE(cloud.stem);
      CAPTURE(offer.instance);
      if (offer.doubtful || !offer.on_demand) continue;
      const double per_gpu = offer.on_demand->value / offer.gpu_count;
      CHECK(per_gpu > 0.05);
      CHECK(per_gpu < 40);
      if (offer.spot && offer.spot->value > 0) CHECK(offer.spot->value <= 1.5 * offer.on_demand->value);
    }
  }
}

TEST_CASE("clouds: the cards that people ask for have a dated price") {
  for (const char* slug : {"a100-sxm4-80gb", "h100-sxm5-80gb", "t4", "l4", "a10g", "v100-sxm2-16gb"}) {
    CAPTURE(slug);
    const auto price = cheapest_on_demand(data_folder().offers_for(slug).value());
    REQUIRE(price.has_value());
    CHECK_FALSE(price->as_of.empty());
    CHECK(price->per_gpu.value > 0);
  }
}

}  // namespace
}  // namespace roofcast
