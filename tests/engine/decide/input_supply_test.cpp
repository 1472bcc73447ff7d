#include "engine/decide/input_supply.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

Device card(int generation, int lanes) {
  return {.pcie_generation = generation, .pcie_lanes = lanes};
}

// 10 ms, all of it bound by memory, with 157.5 MB of inputs.
Prediction ten_milliseconds() {
  Prediction prediction{.input = Bytes{157.5e6}};
  prediction.time = {.p10 = microseconds(9000), .p50 = microseconds(10000), .p90 = microseconds(12000)};
  prediction.time_by_bound[static_cast<std::size_t>(Bound::memory)] = microseconds(10000);
  return prediction;
}

TEST_CASE("input_copy: bytes over 85% of the link, and 10 us") {
  // Generation 4: 16 GT/s on 16 lanes with 128 of 130 bits are 31.508 GB/s.
  const auto time = input_copy(Bytes{31.508e6}, card(4, 16));

  REQUIRE(time.has_value());
  CHECK(as_microseconds(*time) == doctest::Approx(1000 / 0.85 + 10).epsilon(1e-4));
}

TEST_CASE("input_copy: half the lanes or a generation less take twice as long") {
  const Bytes amount{100e6};
  const auto time = [&](int generation, int lanes) {
    return as_microseconds(*input_copy(amount, card(generation, lanes))) - 10;
  };

  CHECK(time(4, 8) == doctest::Approx(2 * time(4, 16)));
  CHECK(time(3, 16) == doctest::Approx(2 * time(4, 16)));
  CHECK(time(4, 16) == doctest::Approx(2 * time(5, 16)));
}

TEST_CASE("input_copy: no time for a link that is not known") {
  CHECK_FALSE(input_copy(Bytes{1}, card(0, 16)).has_value());
  CHECK_FALSE(input_copy(Bytes{1}, card(9, 16)).has_value());
  CHECK_FALSE(input_copy(Bytes{1}, card(4, 0)).has_value());
}

TEST_CASE("with_input: without a word about inputs nothing changes") {
  const Prediction same = with_input(ten_milliseconds(), {}, 8, card(4, 16));

  CHECK(same.time.p50 == microseconds(10000));
  CHECK(same.bound() == Bound::memory);
}

TEST_CASE("with_input: the copy is added to the whole range") {
  const Device device = card(4, 16);
  const Seconds copy = *input_copy(Bytes{157.5e6}, device);

  const Prediction slower = with_input(ten_milliseconds(), {.copied = true}, 8, device);

  CHECK(slower.time.p10.count() == doctest::Approx((microseconds(9000) + copy).count()));
  CHECK(slower.time.p50.count() == doctest::Approx((microseconds(10000) + copy).count()));
  CHECK(slower.time.p90.count() == doctest::Approx((microseconds(12000) + copy).count()));
  CHECK(slower.time_by_bound[static_cast<std::size_t>(Bound::input)] == copy);
}

TEST_CASE("with_input: a step takes at least batch / rate") {
  const Prediction fast_enough = with_input(ten_milliseconds(), {.samples_per_second = 1000}, 8, card(4, 16));
  CHECK(fast_enough.time.p50 == microseconds(10000));
  CHECK(fast_enough.time.p10 == microseconds(9000));

  const Prediction limited = with_input(ten_milliseconds(), {.samples_per_second = 100}, 8, card(4, 16));
  CHECK(as_microseconds(limited.time.p50) == doctest::Approx(80000));
  CHECK(as_microseconds(limited.time.p10) == doctest::Approx(80000));
  CHECK(limited.bound() == Bound::input);
  CHECK(limited.bound_share() == doctest::Approx(7.0 / 8));
}

TEST_CASE("with_input: copying goes on while the pipeline works") {
  const Prediction limited =
      with_input(ten_milliseconds(), {.copied = true, .samples_per_second = 100}, 8, card(4, 16));

  CHECK(as_microseconds(limited.time.p50) == doctest::Approx(80000));
}

}  // namespace
}  // namespace roofcast
