#include "engine/fit/least_squares.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

// Times of kernels with x units of work, launch + rate x, at x = 1, 2, 4, ..., 2^19, times e^error.
struct Timings {
  std::vector<double> x{};
  std::vector<double> measured{};
};

Timings timings(double launch, double rate, const std::vector<double>& errors = {}) {
  Timings made;
  for (std::size_t i = 0; i < 20; ++i) {
    made.x.push_back(std::exp2(static_cast<double>(i)));
    made.measured.push_back((launch + rate * made.x.back()) * std::exp(i < errors.size() ? errors[i] : 0.0));
  }
  return made;
}

Residuals residuals(Timings timed) {
  return [timed = std::move(timed)](std::span<const double> values) {
    std::vector<double> result;
    for (std::size_t i = 0; i < timed.x.size(); ++i) {
      result.push_back(std::log((values[0] + values[1] * timed.x[i]) / timed.measured[i]));
    }
    return result;
  };
}

// Starts at 2 and 0.02.
std::vector<FitParameter> launch_and_rate(double spread = 3) {
  return {{.name = "launch", .start = 2, .spread = spread},
          {.name = "rate", .start = 0.02, .spread = spread}};
}

TEST_CASE("fit_least_squares: recovers what made the measurements") {
  const FitResult fit = fit_least_squares(launch_and_rate(), residuals(timings(5, 0.01)));

  CHECK(fit.values.at(0) == close_to(5, 0.01));
  CHECK(fit.values.at(1) == close_to(0.01, 0.01));
  CHECK(fit.cost < 2);
}

TEST_CASE("fit_least_squares: small errors of the measurements average out") {
  std::mt19937_64 random(20261130);
  std::normal_distribution<double> normal(0, 0.05);
  std::vector<double> errors;
  for (int i = 0; i < 20; ++i) errors.push_back(normal(random));
  const FitResult fit = fit_least_squares(launch_and_rate(), residuals(timings(5, 0.01, errors)));

  CHECK(fit.values.at(0) == close_to(5, 3 * fit.deviations.at(0)));
  CHECK(fit.values.at(1) == close_to(0.01, 3 * fit.deviations.at(1)));
  CHECK(fit.deviations.at(0) < 0.05);
}

TEST_CASE("fit_least_squares: two of twenty measurements that are off by a factor of five hardly matter") {
  std::vector<double> errors(20, 0.0);
  errors[3] = std::log(5.0);
  errors[16] = std::log(5.0);
  const FitResult fit = fit_least_squares(launch_and_rate(), residuals(timings(5, 0.01, errors)));

  // The mean of ten logarithms of which one is ln 5 would be off by 17%.
  CHECK(fit.values.at(0) == close_to(5, 0.06));
  CHECK(fit.values.at(1) == close_to(0.01, 0.06));
}

TEST_CASE("fit_least_squares: values stay within their bounds") {
  std::vector<FitParameter> parameters = launch_and_rate();
  parameters[0].high = 3;
  parameters[1].low = 0.015;
  const FitResult fit = fit_least_squares(parameters, residuals(timings(5, 0.01)));

  CHECK(fit.values.at(0) == close_to(3));
  CHECK(fit.values.at(1) == close_to(0.015));
}

TEST_CASE("fit_least_squares: what no measurement tells stays where it starts, as uncertain as before") {
  const Residuals nothing = [](std::span<const double>) { return std::vector<double>{}; };
  const FitResult none = fit_least_squares(launch_and_rate(0.5), nothing);

  CHECK(none.values.at(0) == close_to(2));
  CHECK(none.values.at(1) == close_to(0.02));
  CHECK(none.deviations.at(0) == close_to(0.5));

  std::vector<FitParameter> parameters = launch_and_rate();
  parameters.push_back({.name = "other", .start = 7, .spread = 0.25});
  const FitResult fit = fit_least_squares(parameters, residuals(timings(5, 0.01)));
  CHECK(fit.values.at(2) == close_to(7, 1e-6));
  CHECK(fit.deviations.at(2) == close_to(0.25));
}

// One measurement with noise 0.05 of a parameter with spread 0.05: both count alike.
TEST_CASE("fit_least_squares: the start counts as a measurement of its own") {
  const Residuals once = [](std::span<const double> values) {
    return std::vector<double>{std::log(values[0] / 1.02)};
  };
  const std::vector<FitParameter> parameter = {{.name = "share", .start = 1, .spread = 0.05}};
  const auto fitted = [&](double prior_weight) {
    return fit_least_squares(parameter, once, {.noise = 0.05, .outlier = 100, .prior_weight = prior_weight})
        .values.at(0);
  };

  CHECK(fitted(1) == close_to(std::sqrt(1.02), 1e-4));
  CHECK(fitted(1e6) == close_to(1, 1e-4));
  CHECK(fitted(1e-6) == close_to(1.02, 1e-4));
}

}  // namespace
}  // namespace roofcast
