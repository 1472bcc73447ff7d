#include "kernels/method/timing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/fake_device.hpp"

namespace roofcast {
namespace {

constexpr Hertz nominal = megahertz(1000);

TEST_CASE("time_kernel: finds the median of a device with normal noise and flags nothing") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const FakeDevice device{
        .one_run = [seed](std::uint64_t batch) { return noisy(microseconds(500), 0.02, seed, batch); }};

    const auto timing = time_kernel(timed(device), {}, nominal);

    REQUIRE(timing);
    CHECK(as_microseconds(timing->of_one_run.median) == doctest::Approx(500).epsilon(0.015));
    CHECK(timing->of_one_run.count >= 10);
    CHECK(flags(*timing).empty());
    CHECK(as_microseconds(timing->of_one_run.deviation) == doctest::Approx(0.6745 * 10).epsilon(0.6));
  }
}

TEST_CASE("time_kernel: a batch is as many runs as take long enough") {
  const auto batch_of = [](Seconds one) {
    return time_kernel(timed({.one_run = [one](std::uint64_t) { return one; }}), {}, nominal)->runs_in_batch;
  };

  CHECK(batch_of(microseconds(10.1)) == 199);  // 2 ms of 10.1 us: 198.02
  CHECK(batch_of(microseconds(3)) == 667);
  CHECK(batch_of(microseconds(1999)) == 2);
  CHECK(batch_of(microseconds(2000)) == 1);
  CHECK(batch_of(microseconds(50'000)) == 1);
}

TEST_CASE("time_kernel: first runs that are slow do not count") {
  const FakeDevice device{
      .one_run = [](std::uint64_t batch) { return microseconds(batch < 3 ? 40'000 : 1000); }};

  const auto timing = time_kernel(timed(device), {}, nominal);

  REQUIRE(timing);
  CHECK(as_microseconds(timing->of_one_run.median) == doctest::Approx(1000));
  CHECK(timing->runs_in_batch == 2);
}

TEST_CASE("time_kernel: two kinds of runs are flagged, and none is dropped") {
  const FakeDevice device{.one_run = [](std::uint64_t batch) {
    return noisy(microseconds(random_bits(5, batch) % 3 == 0 ? 1200 : 1000), 0.002, 6, batch);
  }};

  const auto timing = time_kernel(timed(device), {}, nominal);

  REQUIRE(timing);
  CHECK(timing->bimodal);
  CHECK_FALSE(timing->slow_clock);
  CHECK(as_microseconds(timing->of_one_run.p90) == doctest::Approx(1200).epsilon(0.01));
}

TEST_CASE("time_kernel: a device that gets slower is flagged") {
  // 1% noise, and 10% slower from the first timing to the last of some fifty.
  const FakeDevice device{.one_run = [](std::uint64_t batch) {
    return noisy(microseconds(2000) * (1 + 0.002 * static_cast<double>(batch)), 0.01, 7, batch);
  }};

  const auto timing = time_kernel(timed(device), {.least_timings = 50}, nominal);

  REQUIRE(timing);
  CHECK(timing->drifting);
}

TEST_CASE("time_kernel: a throttled clock is flagged, and the step in time with it") {
  const auto throttled = [](std::uint64_t batch) { return batch >= 50; };
  const FakeDevice device{
      .one_run = [=](std::uint64_t batch) { return microseconds(throttled(batch) ? 4000 : 2000); },
      .clock = [=](std::uint64_t batch) { return megahertz(throttled(batch) ? 500 : 1000); }};

  const auto timing = time_kernel(timed(device), {.least_timings = 50}, nominal);

  REQUIRE(timing);
  CHECK(timing->slow_clock);
  CHECK(timing->drifting);
  CHECK(timing->bimodal);
}

TEST_CASE("time_kernel: a clock just above three quarters is none to flag") {
  const auto slow = [](double clock_mhz) {
    const FakeDevice device{.one_run = [](std::uint64_t) { return microseconds(2000); },
                            .clock = [=](std::uint64_t) { return megahertz(clock_mhz); }};
    return time_kernel(timed(device), {}, nominal)->slow_clock;
  };

  CHECK_FALSE(slow(750));
  CHECK(slow(749));
}

TEST_CASE("time_kernel: without a nominal clock no clock is slow") {
  const FakeDevice device{.one_run = [](std::uint64_t) { return microseconds(2000); },
                          .clock = [](std::uint64_t) { return megahertz(1); }};

  CHECK_FALSE(time_kernel(timed(device), {}, Hertz{})->slow_clock);
}

TEST_CASE("time_kernel: what does not settle ends at the cap and says so") {
  const FakeDevice device{
      .one_run = [](std::uint64_t batch) { return noisy(microseconds(10'000), 0.2, 8, batch); }};
  const TimedKernel kernel = timed(device);

  const auto timing = time_kernel(kernel, {.cap = Seconds{0.5}}, nominal);

  REQUIRE(timing);
  CHECK(timing->unsettled);
  CHECK(kernel.now() < Seconds{0.55});
}

TEST_CASE("time_kernel: a run longer than the cap is still timed three times") {
  const FakeDevice device{.one_run = [](std::uint64_t) { return Seconds{3}; }};

  const auto timing = time_kernel(timed(device), {}, nominal);

  REQUIRE(timing);
  CHECK(timing->of_one_run.count == 3);
  CHECK(timing->unsettled);
  CHECK(timing->of_one_run.median.count() == 3.0);
}

TEST_CASE("time_kernel: a failing run ends the series with its reason") {
  for (const std::uint64_t at : {0U, 1U, 40U}) {
    CAPTURE(at);
    const FakeDevice device{.one_run = [](std::uint64_t) { return microseconds(2000); }, .fails_at = at};

    const auto timing = time_kernel(timed(device), {}, nominal);

    REQUIRE_FALSE(timing);
    CHECK(timing.error().front().message == "the device fell off the bus");
  }
}

TEST_CASE("flags: words in a fixed order") {
  CHECK(flags({}).empty());
  CHECK(flags({.unsettled = true, .bimodal = true, .drifting = true, .slow_clock = true}) ==
        "unsettled bimodal drifting slow-clock");
}

}  // namespace
}  // namespace roofcast
