#include "engine/hardware/device.hpp"

#include <doctest/doctest.h>

#include "engine/hardware/arithmetic_keys.hpp"
#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

void set(Device& device, Arithmetic arithmetic, std::optional<double> rate) {
  device.operations_per_clock_per_sm[static_cast<std::size_t>(arithmetic)] = rate;
}

// A card without Tensor Cores: 10 SMs, 1 GHz, fp32 at 1 TFLOP/s.
Device old_card() {
  Device device{.slug = "old", .name = "Old", .sm_count = 10, .boost_clock = megahertz(1000)};
  set(device, Arithmetic::vector_fp64, 50);
  set(device, Arithmetic::vector_fp32, 100);
  return device;
}

std::optional<double> tera(std::optional<FlopsPerSecond> rate) {
  return rate ? std::optional{rate->value / 1e12} : std::nullopt;
}

TEST_CASE("peak: SMs times rate times clock, each unit at its own clock") {
  CHECK(tera(toy_device().peak(Arithmetic::vector_fp32)) == 10 * 100 * 1e9 / 1e12);
  CHECK(tera(toy_device().peak(Arithmetic::tensor_fp16)) == 10 * 2000 * 0.5e9 / 1e12);
  CHECK(tera(toy_device().peak(Arithmetic::vector_fp64)) == close_to(0.02));
}

TEST_CASE("peak: what a card lacks is absent, not zero") {
  CHECK_FALSE(toy_device().peak(Arithmetic::tensor_fp4).has_value());
  CHECK_FALSE(old_card().peak(Arithmetic::tensor_fp16).has_value());
}

TEST_CASE("matrix_peak: Tensor Cores first") {
  CHECK(tera(toy_device().matrix_peak(Arithmetic::tensor_fp16)) == 10.0);
}

TEST_CASE("matrix_peak: without Tensor Cores fp16 runs packed, or in fp32 where that is faster") {
  Device card = old_card();
  CHECK_FALSE(card.matrix_peak(Arithmetic::tensor_fp16).has_value());
  set(card, Arithmetic::vector_fp16, 200);
  CHECK(tera(card.matrix_peak(Arithmetic::tensor_fp16)) == 2.0);
  set(card, Arithmetic::vector_fp16, 2);
  CHECK(tera(card.matrix_peak(Arithmetic::tensor_fp16)) == 1.0);
}

TEST_CASE("matrix_peak: int8 falls back to dot products, fp64 to vector units") {
  Device card = old_card();
  CHECK(tera(card.matrix_peak(Arithmetic::tensor_fp64)) == 0.5);
  CHECK_FALSE(card.matrix_peak(Arithmetic::tensor_int8).has_value());
  set(card, Arithmetic::vector_int8, 400);
  CHECK(tera(card.matrix_peak(Arithmetic::tensor_int8)) == 4.0);
}

TEST_CASE("matrix_peak: bf16, tf32 and fp8 have nothing to fall back to") {
  for (const Arithmetic arithmetic :
       {Arithmetic::tensor_bf16, Arithmetic::tensor_tf32, Arithmetic::tensor_fp8}) {
    CHECK_FALSE(old_card().matrix_peak(arithmetic).has_value());
  }
}

TEST_CASE("supports: every preset on a card that has everything, fp32 alone on one that has nothing") {
  for (const PrecisionPolicy& policy : precision_presets()) {
    CAPTURE(policy.name);
    CHECK(toy_device().supports(policy));
    CHECK(old_card().supports(policy) == (policy.name == "fp32"));
  }
}

TEST_CASE("supports: fp8 needs bf16 around it, int8 does not") {
  Device card = toy_device();
  set(card, Arithmetic::tensor_bf16, std::nullopt);

  CHECK_FALSE(card.supports(*find_precision("fp8")));
  CHECK_FALSE(card.supports(*find_precision("bf16")));
  CHECK_FALSE(card.supports(*find_precision("amp-bf16")));
  CHECK(card.supports(*find_precision("int8")));
}

TEST_CASE("arithmetic_keys: one for each arithmetic, in its place, named uniquely") {
  const auto keys = arithmetic_keys();

  REQUIRE(keys.size() == arithmetics);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CAPTURE(keys[i].quoted);
    CHECK(keys[i].arithmetic == static_cast<Arithmetic>(i));
    CHECK(keys[i].tensor == (i > static_cast<std::size_t>(Arithmetic::vector_int8)));
    for (std::size_t j = 0; j < i; ++j) CHECK(keys[i].quoted != keys[j].quoted);
  }
}

TEST_CASE("supports: quantised weights need a card that computes in the type around them") {
  Device card{.sm_count = 1};
  card.boost_clock = card.tensor_clock = megahertz(1000);
  card.operations_per_clock_per_sm[static_cast<std::size_t>(Arithmetic::vector_fp32)] = 128;
  card.operations_per_clock_per_sm[static_cast<std::size_t>(Arithmetic::tensor_int8)] = 2048;

  CHECK_FALSE(card.supports(*find_precision("int8")));

  card.operations_per_clock_per_sm[static_cast<std::size_t>(Arithmetic::tensor_fp16)] = 1024;
  CHECK(card.supports(*find_precision("int8")));
}

}  // namespace
}  // namespace roofcast
