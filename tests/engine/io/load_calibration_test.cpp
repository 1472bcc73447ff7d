#include "engine/io/load_calibration.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

constexpr auto tensor16 = static_cast<std::size_t>(MatrixUnit::tensor16);
constexpr auto elementwise = static_cast<std::size_t>(StreamKind::elementwise);

Device card() {
  return {.slug = "toy-8gb", .name = "Toy", .compute_capability = "8.0"};
}

Priors architecture() {
  Priors priors{.name = "8.0", .title = "Toys", .sources = {{"parameters", "a"}}};
  for (GemmParameters& gemm : priors.kernels.gemm) gemm.tiles = {{128, 64}};
  for (ConvolutionParameters& convolution : priors.kernels.convolution)
    convolution.product.tiles = {{64, 64}};
  priors.kernels.gemm[tensor16].residual = {.length = 3, .points = {{1, 2, 3, 4}}, .weights = {0.1}};
  priors.fitted_on = {{.device = "other", .source = "lab", .kernel = "gemm", .rows = 7}};
  return priors;
}

const std::string head =
    "schema = 1\ntitle = \"Profile\"\nextends = \"8.0\"\n[sources]\nparameters = \"a\"\n";
const std::string provenance =
    "[provenance]\ndevice = \"toy-8gb\"\ndate = \"2026-11-30\"\nmethod = \"measured\"\nsamples = 100\n"
    "samples_hash = \"fnv1a64:00\"\n";

std::string complaint(const std::string& text) {
  const auto calibration = load_calibration(text, "c/toy-8gb.toml", card(), architecture());
  return calibration ? "no mistakes" : to_string(calibration.error());
}

TEST_CASE("write_calibration: what was written is read again") {
  Calibration calibration{
      .priors = architecture(),
      .title = "Profile of \"Toy\"",
      .provenance = {.device = "toy-8gb",
                     .date = "2026-11-30",
                     .method = CalibrationMethod::published,
                     .samples = 300,
                     .samples_hash = "fnv1a64:0123456789abcdef",
                     .tool_version = "0.1.0",
                     .driver = "570.1",
                     .libraries = "cuBLAS 12.8",
                     .clocks = "locked at 1410 MHz",
                     .power_limit = Watts{350}},
      .held_out = {{"gemm.tensor16", 200, 0.045, 0.12}, {"stream.softmax", 40, 0.03, 0.1}}};
  calibration.priors.kernels.stream[elementwise].bandwidth_share = 0.75;
  calibration.priors.kernels.stream[elementwise].spread = {0.95, 1.06};
  calibration.priors.kernels.gemm[tensor16].residual = {};  // dropped, not left as it was
  calibration.priors.fitted_on.push_back(
      {.device = "toy-8gb", .source = "me", .kernel = "relu", .split = GroupSplit::all, .rows = 300});

  const std::string text = write_calibration(calibration, architecture());
  INFO(text);
  const auto read = load_calibration(text, "c/toy-8gb.toml", card(), architecture());

  INFO("complaint: ", read ? std::string("none") : to_string(read.error()));
  REQUIRE(read.has_value());
  CHECK(read->title == calibration.title);
  CHECK(read->priors.name == "8.0");
  CHECK(read->priors.title == "Toys");
  CHECK(read->priors.kernels.stream[elementwise].bandwidth_share == 0.75);
  CHECK(read->priors.kernels.stream[elementwise].spread.high == 1.06);
  CHECK(read->priors.kernels.gemm[tensor16].residual.points.empty());
  REQUIRE(read->priors.fitted_on.size() == 2);
  CHECK(read->priors.fitted_on.back().split == GroupSplit::all);
  CHECK(read->priors.fitted_on.back().rows == 300);
  CHECK(read->provenance.device == "toy-8gb");
  CHECK(read->provenance.date == "2026-11-30");
  CHECK(read->provenance.method == CalibrationMethod::published);
  CHECK(read->provenance.samples == 300);
  CHECK(read->provenance.samples_hash == "fnv1a64:0123456789abcdef");
  CHECK(read->provenance.tool_version == "0.1.0");
  CHECK(read->provenance.driver == "570.1");
  CHECK(read->provenance.libraries == "cuBLAS 12.8");
  CHECK(read->provenance.clocks == "locked at 1410 MHz");
  CHECK(read->provenance.power_limit->value == 350);
  REQUIRE(read->held_out.size() == 2);
  CHECK(read->held_out.front().stage == "gemm.tensor16");
  CHECK(read->held_out.front().samples == 200);
  CHECK(read->held_out.front().median == 0.045);
  CHECK(read->held_out.back().p90 == 0.1);
  CHECK(write_calibration(*read, architecture()) == text);
}

TEST_CASE("load_calibration: driver, libraries, clocks and the power limit may be unknown") {
  CHECK(complaint(head + provenance) == "no mistakes");
}

TEST_CASE("load_calibration: a profile of another card or architecture is refused") {
  std::string other = provenance;
  other.replace(other.find("toy-8gb"), 7, "big-8gb");
  CHECK(complaint(head + other) ==
        "c/toy-8gb.toml:7:10: error: the profile is of 'big-8gb', not of 'toy-8gb'\n"
        "  hint: a profile holds for one card and has its name\n");
  std::string newer = head;
  newer.replace(newer.find("8.0"), 3, "9.0");
  CHECK(complaint(newer + provenance) ==
        "c/toy-8gb.toml:3:11: error: the profile extends '9.0', but the priors of 'toy-8gb' are '8.0'\n"
        "  hint: fit it again for this card\n");
}

TEST_CASE("load_calibration: all mistakes are told, with their places") {
  CHECK(complaint(head).find("the table [provenance] is missing") != std::string::npos);
  CHECK(complaint(head + "[provenance]\ndevice = \"toy-8gb\"\ndate = \"yesterday\"\nmethod = \"guessed\"\n"
                         "samples = 0\nsamples_hash = \"a\"\ndrivers = \"570\"\n") ==
        "c/toy-8gb.toml:8:8: error: 'date' must be a date such as \"2026-05\" or \"2026-05-31\", not "
        "'yesterday'\n"
        "  hint: leave it out if the date is unknown\n"
        "c/toy-8gb.toml:9:10: error: unknown method 'guessed'\n"
        "  hint: write \"measured\" or \"published\"\n"
        "c/toy-8gb.toml:10:11: error: 'samples' must be from 1 to 1000000000, not 0\n"
        "c/toy-8gb.toml:12:1: error: unknown key 'provenance.drivers'\n"
        "  hint: did you mean 'driver'?\n");
  CHECK(complaint(head + provenance + "[held_out.softmax]\nsamples = 9\nmedian = -1\np90 = 0.1\n") ==
        "c/toy-8gb.toml:14:10: error: 'median' must be at least 0, not -1\n");
}

}  // namespace
}  // namespace roofcast
