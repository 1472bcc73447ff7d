#include "engine/fit/fit_residual.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20261130;

double smooth(const Features& at) {
  return 0.2 * std::sin(at[0] / 3) * std::cos(at[1] / 4) + 0.02 * (at[2] - 8);
}

std::vector<ResidualSample> samples(std::mt19937_64& random, int count, double noise = 0) {
  std::uniform_real_distribution<double> size(5, 12);
  std::normal_distribution<double> normal(0, 1);
  std::vector<ResidualSample> made;
  for (int i = 0; i < count; ++i) {
    const Features at{size(random), size(random), size(random), 0};
    made.push_back({at, smooth(at) + noise * normal(random)});
  }
  return made;
}

double rms(const std::vector<ResidualSample>& tested, const Residual& residual) {
  double sum = 0;
  for (const ResidualSample& sample : tested)
    sum += std::pow(smooth(sample.at) - correction(residual, sample.at), 2);
  return std::sqrt(sum / static_cast<double>(tested.size()));
}

TEST_CASE("fit_residual: more than halves a smooth error, at places that it has not seen") {
  std::mt19937_64 random(seed);
  const Residual residual = fit_residual(samples(random, 400, 0.05));
  const auto fresh = samples(random, 400);

  CHECK(rms(fresh, residual) < 0.5 * rms(fresh, {}));
  CHECK(residual.points.size() <= ResidualOptions{}.points);
  CHECK(residual.weights.size() == residual.points.size());
}

TEST_CASE("fit_residual: of noise alone little is believed") {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 0.06);
  std::vector<ResidualSample> noise = samples(random, 200);
  for (ResidualSample& sample : noise) sample.error = normal(random);
  const Residual residual = fit_residual(noise);

  double sum = 0;
  for (const ResidualSample& sample : noise) sum += std::pow(correction(residual, sample.at), 2);
  CHECK(std::sqrt(sum / 200) < 0.06);
}

TEST_CASE("fit_residual: a sample by itself pulls its place by the share that noise and amplitude give it") {
  const std::vector<ResidualSample> one = {{{10, 10, 10, 0}, 0.1}};

  // posterior mean: 0.1 a^2 / (a^2 + s^2) with a = 0.1 and s = 0.05, off by 0.02: less than the knee
  CHECK(correction(fit_residual(one, {.amplitude = 0.1, .noise = 0.05}), {10, 10, 10, 0}) ==
        doctest::Approx(0.1 / 1.25).epsilon(1e-3));
}

TEST_CASE("fit_residual: nine samples that agree outweigh a tenth that does not") {
  std::vector<ResidualSample> samples(10, {{10, 10, 10, 0}, 0.1});
  samples.back().error = 0.5;
  const ResidualOptions squares{.amplitude = 1, .noise = 0.05, .knee = 1};
  ResidualOptions robust = squares;
  robust.knee = 0.03;

  CHECK(correction(fit_residual(samples, squares), {10, 10, 10, 0}) == doctest::Approx(0.14).epsilon(0.01));
  // nine errors of x - 0.1 against one that counts as the knee: 9 (x - 0.1) = 0.03
  CHECK(correction(fit_residual(samples, robust), {10, 10, 10, 0}) ==
        doctest::Approx(0.1 + 0.03 / 9).epsilon(0.01));
}

TEST_CASE("fit_residual: a broken sample counts as 0.5 at most") {
  const std::vector<ResidualSample> broken = {{{10, 10, 10, 0}, 7}};
  const std::vector<ResidualSample> large = {{{10, 10, 10, 0}, 0.5}};

  CHECK(fit_residual(broken).weights == fit_residual(large).weights);
}

TEST_CASE("fit_residual: without samples there is no correction; equal places are one point") {
  CHECK(fit_residual({}).points.empty());
  const std::vector<ResidualSample> twice = {{{10, 10, 10, 0}, 0.1}, {{10, 10, 10, 0}, 0.1}};
  CHECK(fit_residual(twice).points.size() == 1);
}

}  // namespace
}  // namespace roofcast
