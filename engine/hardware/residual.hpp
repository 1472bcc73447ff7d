#pragma once
// What is left of an error after the physics has been fitted, as a smooth function of a kernel's sizes.

#include <array>
#include <cstddef>
#include <vector>

namespace roofcast {

/// Logarithms to base 2 of up to four sizes of a kernel.
using Features = std::array<double, 4>;

/// A correction e^mu(x) on a time, with
///
///     mu(x) = sum_i w_i (1 + sqrt(3) d_i) exp(-sqrt(3) d_i),   d_i = |x - x_i| / length
///
/// Far from all points it is 1. Source: Rasmussen, Williams, "Gaussian processes for machine learning", 2006,
/// eq. 2.25 with the Matérn kernel of 4.17.
struct Residual {
  double length = 1.6;  ///< in octaves
  std::vector<Features> points{};
  std::vector<double> weights{};
};

/// mu(x) within [-0.4, 0.4]; 0 if there are no points.
double correction(const Residual& residual, const Features& at);

}  // namespace roofcast
