#include "engine/fit/fit_errors.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace roofcast {
namespace {

TEST_CASE("fit_errors: a prediction of half the measured time is 50% off, and too short") {
  const std::vector<double> logarithms = {std::log(2.0)};

  const FitErrors errors = fit_errors(logarithms);

  CHECK(errors.median == doctest::Approx(0.5));
  CHECK(errors.p90 == doctest::Approx(0.5));
  CHECK(errors.bias == doctest::Approx(-0.5));
}

TEST_CASE("fit_errors: none of none") {
  CHECK(fit_errors({}).median == 0);
}

}  // namespace
}  // namespace roofcast
