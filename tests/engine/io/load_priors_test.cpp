#include "engine/io/load_priors.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace roofcast {
namespace {

const std::string head = "schema = 1\ntitle = \"Toy\"\n";
const std::string tail = "[sources]\nparameters = \"a\"\n";

// What "base" stands for: one tile for every unit.
Priors base() {
  Priors priors{.name = "base", .title = "All"};
  for (GemmParameters& gemm : priors.kernels.gemm) gemm.tiles = {{128, 64}};
  for (ConvolutionParameters& convolution : priors.kernels.convolution)
    convolution.product.tiles = {{64, 64}};
  return priors;
}

Result<Priors> load(const std::string& text) {
  return load_priors(text, "p/8.0.toml", [](const std::string& name) -> Result<Priors> {
    if (name != "base") return fail("unknown set of priors '" + name + "'");
    return base();
  });
}

Result<Priors> load_extended(const std::string& tables) {
  return load(head + "extends = \"base\"\n" + tables + tail);
}

Priors loaded(const std::string& tables) {
  auto priors = load_extended(tables);
  INFO("complaint: ", priors ? std::string("none") : to_string(priors.error()));
  REQUIRE(priors.has_value());
  return *std::move(priors);
}

std::string complaint(const std::string& tables) {
  const auto priors = load_extended(tables);
  return priors ? "no mistakes" : to_string(priors.error());
}

TEST_CASE("load_priors: what a file leaves out is what it extends") {
  const Priors priors =
      loaded("[gemm.tensor16]\npeak_share = 0.5\nspread = [0.9, 1.2]\n[cache]\nresident_share = 0.25\n");
  const GemmParameters& gemm = priors.kernels.gemm[static_cast<std::size_t>(MatrixUnit::tensor16)];

  CHECK(priors.name == "8.0");
  CHECK(priors.title == "Toy");
  CHECK(priors.sources.at("parameters") == "a");
  CHECK(gemm.peak_share == 0.5);
  CHECK(gemm.spread.low == 0.9);
  CHECK(gemm.spread.high == 1.2);
  CHECK(gemm.wave_us == base().kernels.gemm[0].wave_us);
  REQUIRE(gemm.tiles.size() == 1);
  CHECK(gemm.tiles[0].m == 128);
  CHECK(gemm.tiles[0].n == 64);
  CHECK(priors.kernels.gemm[static_cast<std::size_t>(MatrixUnit::vector)].peak_share ==
        GemmParameters{}.peak_share);
  CHECK(priors.kernels.cache.resident_share == 0.25);
}

TEST_CASE("load_priors: tables within tables") {
  const Priors priors = loaded(
      "[convolution.vector]\nimplicit_share = 0.5\n[convolution.vector.product]\nwave_us = 3\ntiles = "
      "[\"32x16\"]\n"
      "batched_tiles = \"16x8\"\nedge = 32\n[stream.softmax]\nlaunch_us = 2.5\n");
  const ConvolutionParameters& convolution = priors.kernels.convolution[0];

  CHECK(convolution.implicit_share == 0.5);
  CHECK(convolution.product.wave_us == 3);
  CHECK(convolution.product.tiles.at(0).m == 32);
  CHECK(convolution.product.batched_tiles.at(0).n == 8);
  CHECK(convolution.product.edge == 32);
  CHECK(priors.kernels.stream[static_cast<std::size_t>(StreamKind::softmax)].launch_us == 2.5);
  CHECK(priors.kernels.stream[static_cast<std::size_t>(StreamKind::copy)].launch_us ==
        StreamParameters{}.launch_us);
}

TEST_CASE("load_priors: ranges that were widened before are widened further") {
  CHECK(loaded("widened = 2\n").widened == 2);
  CHECK(complaint("widened = 0.5\n") ==
        "p/8.0.toml:4:11: error: 'widened' must be between 1 and 10, not 0.5\n");
}

TEST_CASE("load_priors: nothing is outside of its physical bounds") {
  CHECK(complaint("[gemm.vector]\npeak_share = 1.0\n") == "no mistakes");
  CHECK(complaint("[gemm.vector]\npeak_share = 1.25\n") ==
        "p/8.0.toml:5:14: error: 'peak_share' must be between 0.2 and 1, not 1.25\n");
  CHECK(complaint("[gemm.vector]\npeak_share = nan\n") ==
        "p/8.0.toml:5:14: error: 'peak_share' must be between 0.2 and 1, not nan\n");
  CHECK(complaint("[gemm.vector]\nedge = -1\n") ==
        "p/8.0.toml:5:8: error: 'edge' must be between 0 and 1024, not -1\n");
}

TEST_CASE("load_priors: a tile is rows by columns, and there is one") {
  const std::string hint = "\n  hint: write rows x columns: \"128x64\"\n";

  for (const char* tile : {"128", "128x", "x64", "128x64x2", "0x64", "128x2048", "128 x 64"}) {
    CAPTURE(tile);
    CHECK(complaint(fmt::format("[gemm.vector]\ntiles = [\"64x64\", \"{}\"]\n", tile)) ==
          fmt::format("p/8.0.toml:5:9: error: '{}' is no tile{}", tile, hint));
  }
  CHECK(complaint("[gemm.vector]\ntiles = []\n") == "p/8.0.toml:5:9: error: 'tiles' is empty" + hint);
}

TEST_CASE("load_priors: what extends nothing needs tiles for every unit") {
  const auto priors = load(head + "[gemm.vector]\ntiles = [\"64x64\"]\n" + tail);

  REQUIRE_FALSE(priors.has_value());
  CHECK(to_string(priors.error())
            .starts_with("p/8.0.toml:1:1: error: [convolution.vector.product] has no 'tiles'\n"
                         "  hint: list those that libraries have kernels for, or extend another file\n"));
}

TEST_CASE("load_priors: two factors around the median") {
  for (const char* spread : {"[0.9]", "[1.1, 1.2]", "[0.8, 0.9]", "[0, 1.2]"}) {
    CAPTURE(spread);
    CHECK(complaint(fmt::format("[attention]\nspread = {}\n", spread)) ==
          "p/8.0.toml:5:10: error: 'spread' must be two factors, at most 1 and at least 1\n"
          "  hint: 80% of times lie within these times the median: spread = [0.9, 1.15]\n");
  }
}

TEST_CASE("load_priors: a residual is points with weights") {
  const auto residual = [](std::string_view lines) {
    return fmt::format("[gemm.vector.residual]\n{}", lines);
  };
  const Priors priors = loaded(
      residual("length_octaves = 2\npoints = [[1, 2, 3, 4], [5, 6.5, 7, 8]]\nweights = [0.1, -0.2]\n"));

  CHECK(priors.kernels.gemm[0].residual.length == 2);
  CHECK(priors.kernels.gemm[0].residual.points.at(1) == Features{5, 6.5, 7, 8});
  CHECK(priors.kernels.gemm[0].residual.weights == std::vector<double>{0.1, -0.2});
  CHECK(complaint(residual("length_octaves = 2\npoints = [[1, 2, 3, 4]]\nweights = [0.1, -0.2]\n")) ==
        "p/8.0.toml:7:11: error: 1 'points' but 2 'weights'\n");
  CHECK(complaint(residual("length_octaves = 2\npoints = [[1, 2, 3]]\nweights = [0.1]\n")) ==
        "p/8.0.toml:6:10: error: a point of 'points' needs four numbers\n");
  CHECK(complaint(residual("length_octaves = 2\nweights = [0.1]\n")) ==
        "p/8.0.toml:4:1: error: a residual needs 'points' and 'weights'\n");
  CHECK(complaint(residual("length_octaves = 2\npoints = []\nweights = [\"x\"]\n")) ==
        "p/8.0.toml:7:11: error: 'weights' must be a list of numbers\n");
}

TEST_CASE("load_priors: unknown keys, tables and files to extend are mistakes") {
  CHECK(complaint("[gemm.vector]\npeek_share = 0.5\n") ==
        "p/8.0.toml:5:1: error: unknown key 'gemm.vector.peek_share'\n  hint: did you mean 'peak_share'?\n");
  CHECK(complaint("[gemm.tensor17]\npeak_share = 0.5\n") ==
        "p/8.0.toml:4:7: error: unknown key 'gemm.tensor17'\n  hint: did you mean 'tensor16'?\n");
  CHECK(to_string(load(head + "extends = \"bse\"\n" + tail).error()) ==
        "error: unknown set of priors 'bse'\n");
}

TEST_CASE("load_priors: what a fit was made from") {
  const std::string entry = "[[fitted_on]]\nsource = \"lab\"\nkernel = \"gemm\"\nsplit = \"{}\"\nrows = 12\n";
  const Priors priors = loaded(fmt::format(fmt::runtime(entry), "all"));

  REQUIRE(priors.fitted_on.size() == 1);
  CHECK(priors.fitted_on[0].device.empty());
  CHECK(priors.fitted_on[0].source == "lab");
  CHECK(priors.fitted_on[0].kernel == "gemm");
  CHECK(priors.fitted_on[0].split == GroupSplit::all);
  CHECK(priors.fitted_on[0].rows == 12);
  CHECK(complaint(fmt::format(fmt::runtime(entry), "third")) ==
        "p/8.0.toml:7:9: error: unknown split 'third'\n  hint: write \"half\" or \"all\"\n");
}

TEST_CASE("write_priors: what it writes, load_priors reads") {
  Priors priors = base();
  priors.title = "Toy";
  priors.widened = 3;
  priors.memory_spread = 0.25;
  priors.fitted_on = {
      {.device = "t4", .source = "lab", .kernel = "gemm", .split = GroupSplit::all, .rows = 7}};
  priors.sources = {{"parameters", "a \"quoted\" word\\n"}};
  // Every number takes another value within its bounds.
  for (const NamedParameter& parameter : named_parameters(priors.kernels)) {
    *parameter.value = parameter.low + 0.25 * (parameter.high - parameter.low);
  }
  GemmParameters& gemm = priors.kernels.gemm[1];
  gemm.tiles = {{256, 128}, {16, 8}};
  gemm.edge = 16;
  gemm.spread = {0.5, 2};
  gemm.residual = {.length = 2.5, .points = {{1, 2, 3, 4}, {5, 6, 7, 8}}, .weights = {0.125, -0.25}};
  priors.kernels.convolution[2].product.batched_tiles = {{64, 32}};
  priors.kernels.convolution[2].residual = gemm.residual;
  priors.kernels.stream[3].spread = {0.25, 4};

  const std::string text = write_priors(priors, base());
  auto again = load(text);

  INFO("complaint: ", again ? std::string("none") : to_string(again.error()));
  REQUIRE(again.has_value());
  CHECK(again->title == "Toy");
  CHECK(again->widened == 3);
  CHECK(again->memory_spread == 0.25);
  CHECK(again->sources == priors.sources);
  CHECK(again->fitted_on.at(0).rows == 7);
  const auto written = named_parameters(priors.kernels);
  const auto read = named_parameters(again->kernels);
  for (std::size_t i = 0; i < written.size(); ++i) {
    CAPTURE(written[i].table);
    CAPTURE(written[i].key);
    CHECK(*read[i].value == doctest::Approx(*written[i].value).epsilon(1e-3));
  }
  CHECK(again->kernels.gemm[1].tiles.at(1).n == 8);
  CHECK(again->kernels.gemm[1].edge == 16);
  CHECK(again->kernels.gemm[1].spread.high == 2);
  CHECK(again->kernels.gemm[1].residual.length == 2.5);
  CHECK(again->kernels.gemm[1].residual.points == gemm.residual.points);
  CHECK(again->kernels.convolution[2].residual.weights == gemm.residual.weights);
  CHECK(again->kernels.convolution[2].product.batched_tiles.at(0).m == 64);
  CHECK(again->kernels.stream[3].spread.low == 0.25);
  CHECK(write_priors(*again, base()) == text);
}

TEST_CASE("write_priors: what is as in the base is not written") {
  Priors priors = base();
  priors.kernels.gather.launch_us = 4;

  const std::string text = write_priors(priors, base());

  CHECK(text.find("[gather]\nlaunch_us = 4\n") != std::string::npos);
  CHECK(text.find("[gemm") == std::string::npos);
  CHECK(text.find("sector_bytes") == std::string::npos);
}

}  // namespace
}  // namespace roofcast
