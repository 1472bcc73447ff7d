#include "engine/fit/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> exponentials(const VectorXd& logarithms) {
  std::vector<double> values(static_cast<std::size_t>(logarithms.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::exp(logarithms[static_cast<Eigen::Index>(i)]);
  return values;
}

VectorXd scaled(const std::vector<double>& residuals, double noise) {
  return Eigen::Map<const VectorXd>(residuals.data(), static_cast<Eigen::Index>(residuals.size())) / noise;
}

}  // namespace

FitResult fit_least_squares(std::span<const FitParameter> parameters, const Residuals& residuals,
                            const FitOptions& options) {
  const auto count = static_cast<Eigen::Index>(parameters.size());
  VectorXd start(count), low(count), high(count), inverse_spread(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const FitParameter& parameter = parameters[static_cast<std::size_t>(i)];
    start[i] = std::log(parameter.start);
    low[i] = std::log(std::max(parameter.low, 1e-12));
    high[i] = std::log(parameter.high);
    inverse_spread[i] = std::sqrt(options.prior_weight) / parameter.spread;
  }
  const double a2 = options.outlier * options.outlier;
  const auto cost_of = [&](const VectorXd& at, const VectorXd& r) {
    const double data = (2 * a2 * ((1 + r.array().square() / a2).sqrt() - 1)).sum();
    return data + ((at - start).array() * inverse_spread.array()).square().sum();
  };
  const auto evaluate = [&](const VectorXd& at) {
    return scaled(residuals(exponentials(at)), options.noise);
  };

  VectorXd at = start.cwiseMax(low).cwiseMin(high);
  VectorXd r = evaluate(at);
  double cost = cost_of(at, r);
  double damping = 1e-2;
  MatrixXd normal = MatrixXd::Zero(count, count);
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    constexpr double step = 0.02;
    MatrixXd jacobian(r.size(), count);
    for (Eigen::Index i = 0; i < count; ++i) {
      VectorXd up = at, down = at;
      up[i] += step;
      down[i] -= step;
      jacobian.col(i) = (evaluate(up) - evaluate(down)) / (2 * step);
    }
    const VectorXd weights = (1 + r.array().square() / a2).sqrt().inverse();
    const VectorXd prior = inverse_spread.array().square();
    normal = jacobian.transpose() * weights.asDiagonal() * jacobian;
    normal.diagonal() += prior;
    const VectorXd gradient = jacobian.transpose() * (weights.array() * r.array()).matrix() +
                              (prior.array() * (at - start).array()).matrix();
    // A parameter that would leave its bounds waits there, and the others are solved for without it.
    MatrixXd free_normal = normal;
    VectorXd free_gradient = gradient;
    for (Eigen::Index i = 0; i < count; ++i) {
      const bool leaves = (at[i] <= low[i] && gradient[i] > 0) || (at[i] >= high[i] && gradient[i] < 0);
      if (!leaves) continue;
      free_normal.row(i).setZero();
      free_normal.col(i).setZero();
      free_normal(i, i) = 1;
      free_gradient[i] = 0;
    }
    bool improved = false;
    for (int attempt = 0; attempt < 8 && !improved; ++attempt) {
      MatrixXd damped = free_normal;
      damped.diagonal() *= 1 + damping;
      const VectorXd next = (at - damped.ldlt().solve(free_gradient)).cwiseMax(low).cwiseMin(high);
      const VectorXd next_r = evaluate(next);
      const double next_cost = cost_of(next, next_r);
      if (next_cost < cost) {
        improved = true;
        const bool settled = cost - next_cost < 1e-5 * cost;
        at = next;
        r = next_r;
        cost = next_cost;
        damping = std::max(damping / 5, 1e-6);
        if (settled) iteration = options.iterations;
      } else {
        damping *= 4;
      }
    }
    if (!improved) break;
  }
  FitResult result{.values = exponentials(at), .cost = cost};
  const VectorXd variance = normal.ldlt().solve(MatrixXd::Identity(count, count)).diagonal();
  for (Eigen::Index i = 0; i < count; ++i) result.deviations.push_back(std::sqrt(std::max(variance[i], 0.0)));
  return result;
}

}  // namespace roofcast
