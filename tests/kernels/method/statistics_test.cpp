#include "kernels/method/statistics.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "kernels/random.hpp"

namespace roofcast {
namespace {

std::vector<Seconds> count_to(int last) {
  std::vector<Seconds> times;
  for (int i = 1; i <= last; ++i) times.emplace_back(i);
  return times;
}

TEST_CASE("statistics: order statistics of 1 to 100") {
  const Statistics series = statistics(count_to(100));

  CHECK(series.count == 100);
  CHECK(series.median.count() == doctest::Approx(50.5));
  CHECK(series.deviation.count() == doctest::Approx(25.0));
  CHECK(series.low.count() == 40.0);   // floor((100 - 19.6) / 2)
  CHECK(series.high.count() == 61.0);  // ceil(1 + (100 + 19.6) / 2)
  CHECK(series.least.count() == 1.0);
  CHECK(half_width(series) == doctest::Approx(21.0 / 50.5 / 2));
}

TEST_CASE("statistics: few times give an interval of all of them") {
  const Statistics series = statistics(count_to(3));

  CHECK(series.low.count() == 1.0);
  CHECK(series.high.count() == 3.0);
}

TEST_CASE("statistics: an outlier does not move the median") {
  std::vector<Seconds> times(20, Seconds{1});
  times.emplace_back(1000);

  CHECK(statistics(times).median.count() == 1.0);
  CHECK(half_width(statistics(times)) == 0.0);
}

// Draws many series with a known median.
TEST_CASE("statistics: the interval holds the median in about 95 of 100 series") {
  constexpr int series = 1000;
  int holds = 0;
  for (std::uint64_t seed = 0; seed < series; ++seed) {
    std::vector<Seconds> times;
    for (std::uint64_t i = 0; i < 40; ++i) times.emplace_back(10 + random_normal(seed, i));
    const Statistics found = statistics(times);
    if (found.low.count() <= 10 && 10 <= found.high.count()) ++holds;
  }
  CHECK(holds > 0.94 * series);
  CHECK(holds < 0.99 * series);
}

TEST_CASE("drift: the ratio of the last third to the first") {
  std::vector<Seconds> times(15, Seconds{1.0});
  times.insert(times.end(), 15, Seconds{1.1});

  CHECK(drift(times) == doctest::Approx(0.1));
}

TEST_CASE("drift: noise, ties and few times are none") {
  std::vector<Seconds> noise;
  for (std::uint64_t i = 0; i < 60; ++i) noise.emplace_back(1 + 0.1 * random_normal(7, i));

  CHECK(drift(noise) == 0.0);
  CHECK(drift(std::vector<Seconds>(30, Seconds{1})) == 0.0);
  CHECK(drift(count_to(14)) == 0.0);
  CHECK(drift(count_to(15)) == doctest::Approx(13.0 / 3.0 - 1));
}

}  // namespace
}  // namespace roofcast
