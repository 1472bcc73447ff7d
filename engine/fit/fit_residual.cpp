#include "engine/fit/fit_residual.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace roofcast {
namespace {

double distance(const Features& left, const Features& right) {
  double square = 0;
  for (std::size_t axis = 0; axis < left.size(); ++axis) {
    square += (left[axis] - right[axis]) * (left[axis] - right[axis]);
  }
  return std::sqrt(square);
}

double kernel(const Features& left, const Features& right, double length) {
  const double scaled = std::sqrt(3.0) * distance(left, right) / length;
  return (1 + scaled) * std::exp(-scaled);
}

// Each next point is the one that is farthest from those before it.
std::vector<Features> spread_out(std::span<const ResidualSample> samples, std::size_t count) {
  std::vector<Features> points;
  if (samples.empty()) return points;
  std::vector<double> nearest(samples.size(), std::numeric_limits<double>::infinity());
  std::size_t next = 0;
  while (points.size() < std::min(count, samples.size())) {
    points.push_back(samples[next].at);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      nearest[i] = std::min(nearest[i], distance(samples[i].at, points.back()));
    }
    next = static_cast<std::size_t>(std::ranges::max_element(nearest) - nearest.begin());
    if (nearest[next] < 0.05) break;
  }
  return points;
}

/// The w that minimise sum_i huber(errors_i - (design w)_i) + w^T penalty w, where huber is the square up to
/// `knee` and straight beyond, by least squares with weights from the errors of the step before. Source:
/// Holland, Welsch, "Robust regression using iteratively reweighted least-squares", 1977.
Eigen::VectorXd robust_weights(const Eigen::MatrixXd& design, const Eigen::VectorXd& errors,
                               const Eigen::MatrixXd& penalty, double knee) {
  constexpr int steps = 4;
  Eigen::VectorXd trust = Eigen::VectorXd::Ones(errors.size());
  Eigen::VectorXd weights;
  for (int step = 0; step < steps; ++step) {
    const Eigen::MatrixXd trusted = trust.asDiagonal() * design;
    Eigen::MatrixXd normal = trusted.transpose() * design + penalty;
    normal.diagonal().array() += 1e-6;
    weights = normal.ldlt().solve(trusted.transpose() * errors);
    trust = (knee / (errors - design * weights).array().abs().max(knee)).matrix();
  }
  return weights;
}

}  // namespace

Residual fit_residual(std::span<const ResidualSample> samples, const ResidualOptions& options) {
  Residual residual{.length = options.length, .points = spread_out(samples, options.points)};
  const auto points = static_cast<Eigen::Index>(residual.points.size());
  const auto count = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd prior(points, points);
  for (Eigen::Index i = 0; i < points; ++i) {
    for (Eigen::Index j = 0; j < points; ++j) {
      prior(i, j) = kernel(residual.points[static_cast<std::size_t>(i)],
                           residual.points[static_cast<std::size_t>(j)], options.length);
    }
  }
  Eigen::MatrixXd design(count, points);
  Eigen::VectorXd errors(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const ResidualSample& sample = samples[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < points; ++j) {
      design(i, j) = kernel(sample.at, residual.points[static_cast<std::size_t>(j)], options.length);
    }
    errors[i] = std::clamp(sample.error, -0.5, 0.5);
  }
  const double ratio = options.noise * options.noise / (options.amplitude * options.amplitude);
  const Eigen::VectorXd weights = robust_weights(design, errors, ratio * prior, options.knee);
  residual.weights.assign(weights.begin(), weights.end());
  return residual;
}

}  // namespace roofcast
