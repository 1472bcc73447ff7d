#include "kernels/random.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("random_normal: mean 0, deviation 1, never 0, and the same for the same place") {
  constexpr int count = 100'000;
  double sum = 0;
  double squares = 0;
  int zeros = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double value = random_normal(1, i);
    sum += value;
    squares += value * value;
    if (value == 0) ++zeros;
  }
  CHECK(sum / count == doctest::Approx(0).epsilon(0.02));  // 6 deviations of the mean
  CHECK(squares / count == doctest::Approx(1).epsilon(0.03));
  CHECK(zeros == 0);
  CHECK(random_normal(1, 5) == random_normal(1, 5));
  CHECK(random_normal(1, 5) != random_normal(2, 5));
}

}  // namespace
}  // namespace roofcast
