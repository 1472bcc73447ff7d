#pragma once
// Fits the parameters of a model to measurements when both may be wrong: robust, regularised, bounded.

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace roofcast {

/// One parameter. It is fitted as the logarithm of its value, so it stays positive.
struct FitParameter {
  std::string name{};
  double start = 1;   ///< where physics puts it
  double spread = 1;  ///< how far from there it may well be, as a standard deviation of its logarithm
  double low = 0;
  double high = 1e30;
};

/// The residuals ln(predicted / measured) of all samples for these values.
using Residuals = std::function<std::vector<double>(std::span<const double> values)>;

struct FitOptions {
  double noise = 0.05;  ///< standard deviation of a residual that a right model would leave
  double outlier = 2;   ///< residuals beyond so many deviations count linearly (soft L1)
  int iterations = 30;
  double prior_weight = 1;  ///< how many samples a parameter's start is worth
};

struct FitResult {
  std::vector<double> values{};
  std::vector<double> deviations{};  ///< standard errors of the logarithms
  double cost = 0;
};

/// Minimises sum_i rho((r_i / noise)^2) + w sum_j ((ln v_j - ln start_j) / spread_j)^2 with
/// rho(s) = 2 a^2 (sqrt(1 + s / a^2) - 1), by Levenberg-Marquardt steps on iteratively weighted residuals.
/// Values that would leave their bounds are held at them. Derivatives are central differences over 2%, wide
/// enough to see past the steps of models that choose between kernels. Source: Moré, "The Levenberg-Marquardt
/// algorithm", 1978; Huber, "Robust statistics", 1981.
FitResult fit_least_squares(std::span<const FitParameter> parameters, const Residuals& residuals,
                            const FitOptions& options = {});

}  // namespace roofcast
