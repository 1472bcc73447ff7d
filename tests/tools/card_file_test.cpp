#include "tools/card_file.hpp"

#include <doctest/doctest.h>

#include "engine/io/load_device.hpp"

namespace roofcast {
namespace {

const DeviceFacts facts{.name = "Toy \"CPU\" 4\\2",
                        .vendor = "toy",
                        .libraries = "toyblas 1.0",
                        .units = 4,
                        .clock = megahertz(2500),
                        .memory = gibibytes(16),
                        .usable = gibibytes(12),
                        .last_level_cache = mebibytes(8),
                        .first_level_cache = mebibytes(0.03125)};
const MeasuredPeaks peaks{.product = FlopsPerSecond{100e9},
                          .stream = BytesPerSecond{20e9},
                          .product_probe = "gemm fp32 2048x2048x2048 cold",
                          .stream_probe = "stream_read fp32 1x67108864 cold"};

TEST_CASE("card_file: loads as a card with the peaks that were measured") {
  const auto device = load_device(card_file(facts, peaks, "2026-11-30"), "local.toml");

  REQUIRE(device);
  CHECK(device->slug == "local");
  CHECK(device->name == facts.name);
  CHECK(device->compute_capability == "cpu");
  CHECK(device->sm_count == 4);
  CHECK(device->peak(Arithmetic::vector_fp32)->value == doctest::Approx(100e9).epsilon(1e-3));
  CHECK(device->bandwidth.value == doctest::Approx(20e9));
  CHECK(device->l2.value == mebibytes(8).value);
  CHECK(as_gibibytes(device->usable) == doctest::Approx(12));
  CHECK_FALSE(device->peak(Arithmetic::vector_fp16));
}

TEST_CASE("card_file: says where its numbers are from, and which are placeholders") {
  const auto device = load_device(card_file(facts, peaks, "2026-11-30"), "local.toml");

  REQUIRE(device);
  CHECK(device->sources.at("flops_per_clock_per_sm") ==
        "fp32: measured by calibrate on 2026-11-30 (gemm fp32 2048x2048x2048 cold), toyblas 1.0; fp64: half "
        "of it, "
        "estimated");
  CHECK(device->sources.at("board").find("placeholders") != std::string::npos);
}

TEST_CASE("card_file: a processor whose caches are not known is still a card") {
  DeviceFacts unknown = facts;
  unknown.last_level_cache = {};
  unknown.first_level_cache = {};

  CHECK(load_device(card_file(unknown, peaks, "2026-11-30"), "local.toml"));
}

}  // namespace
}  // namespace roofcast
