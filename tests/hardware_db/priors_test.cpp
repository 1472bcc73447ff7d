// What is believed about architectures, frameworks and benchmarks.

#include <algorithm>
#include <set>

#include "engine/io/named_file.hpp"
#include "tests/hardware_db/database.hpp"

namespace roofcast {
namespace {

std::vector<std::string> names_in(const char* folder) {
  return toml_stems(source_dir() / "hardware_db" / folder);
}

Priors priors(const std::string& name) {
  auto loaded = data_folder().priors(name);
  INFO("complaint: ", loaded ? std::string("none") : to_string(loaded.error()));
  REQUIRE(loaded.has_value());
  return *std::move(loaded);
}

TEST_CASE("priors: every file loads and says what its numbers rest on") {
  REQUIRE(names_in("priors").size() >= 10);
  for (const std::string& name : names_in("priors")) {
    CAPTURE(name);
    const Priors loaded = priors(name);
    CHECK(loaded.name == name);
    CHECK_FALSE(loaded.sources.at("parameters").empty());
  }
}

TEST_CASE("priors: every architecture of the cards has a file of its own") {
  const std::vector<std::string> known = names_in("priors");
  for (const Device& device : all_devices()) {
    CAPTURE(device.slug);
    CAPTURE(device.compute_capability);
    CHECK(std::ranges::binary_search(known, device.compute_capability));
  }
}

TEST_CASE("priors: every file but the general ones is of an architecture that some card has") {
  std::set<std::string> capabilities;
  for (const Device& device : all_devices()) capabilities.insert(device.compute_capability);
  for (const std::string& name : names_in("priors")) {
    CAPTURE(name);
    // "7" is what 7.0 and 7.5 share; cards of "cpu" are those that `calibrate` writes of processors.
    const bool general = name == "base" || name == "cpu" ||
                         std::ranges::any_of(capabilities, [&](const std::string& capability) {
                           return capability.starts_with(name + ".");
                         });
    CHECK((general || capabilities.contains(name)));
  }
}

TEST_CASE("priors: libraries have tiles for every unit, and residuals as many weights as points") {
  for (const std::string& name : names_in("priors")) {
    CAPTURE(name);
    const Priors loaded = priors(name);
    for (std::size_t unit = 0; unit < matrix_units; ++unit) {
      const GemmParameters& gemm = loaded.kernels.gemm[unit];
      const ConvolutionParameters& convolution = loaded.kernels.convolution[unit];
      CHECK_FALSE(gemm.tiles.empty());
      CHECK_FALSE(convolution.product.tiles.empty());
      CHECK(gemm.residual.points.size() == gemm.residual.weights.size());
      CHECK(convolution.residual.points.size() == convolution.residual.weights.size());
    }
  }
}

TEST_CASE("priors: rows that a fit was made from are of cards that the database has") {
  const std::vector<std::string> slugs = data_folder().devices();
  for (const std::string& name : names_in("priors")) {
    CAPTURE(name);
    for (const FittedOn& entry : priors(name).fitted_on) {
      CAPTURE(entry.device);
      CHECK(entry.rows > 0);
      CHECK((entry.device.empty() || std::ranges::binary_search(slugs, entry.device)));
    }
  }
}

TEST_CASE("harnesses: every file loads with a source for each of its tables") {
  const auto harnesses = data_folder().harnesses();
  INFO("complaint: ", harnesses ? std::string("none") : to_string(harnesses.error()));
  REQUIRE(harnesses.has_value());
  CHECK(harnesses->size() == names_in("harnesses").size());
  for (const auto& entry : *harnesses) {
    const Harness& harness = entry.second;
    INFO("harness ", entry.first);
    CHECK_FALSE(harness.title.empty());
    for (const char* table : {"overhead_us", "weight_copies"}) CHECK_FALSE(harness.sources.at(table).empty());
    for (const Seconds overhead : harness.overhead) CHECK(overhead < microseconds(1000));
  }
}

TEST_CASE("runtimes: every file loads with a source for each of its tables") {
  REQUIRE(data_folder().runtime("pytorch-eager").has_value());
  for (const std::string& name : names_in("runtimes")) {
    CAPTURE(name);
    const auto runtime = data_folder().runtime(name);
    INFO("complaint: ", runtime ? std::string("none") : to_string(runtime.error()));
    REQUIRE(runtime.has_value());
    for (const char* part :
         {"attention", "elementwise", "submission", "host", "device", "context_mib", "spread"}) {
      CHECK_FALSE(runtime->sources.at(part).empty());
    }
    CHECK(runtime->host.call < microseconds(100));
    CHECK(runtime->host.launch < microseconds(20));
  }
}

}  // namespace
}  // namespace roofcast
