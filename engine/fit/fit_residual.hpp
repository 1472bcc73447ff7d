#pragma once
// Fits the smooth rest of an error.

#include <span>

#include "engine/hardware/residual.hpp"

namespace roofcast {

struct ResidualSample {
  Features at{};
  double error = 0;  ///< ln(measured / predicted)
};

struct ResidualOptions {
  double length = 1.6;     ///< in octaves
  double amplitude = 0.1;  ///< standard deviation of the function
  double noise = 0.06;     ///< of a sample
  double knee =
      0.03;  ///< errors that are off by more count linearly: sessions differ, kernels are chosen badly
  std::size_t points = 96;  ///< that the function is written down at
};

/// The posterior mean of a Gaussian process, written at so many of the samples' places (those that lie
/// farthest from each other), over all samples, in the least-squares sense up to `knee`. Source:
/// Quiñonero-Candela, Rasmussen, "A unifying view of sparse approximate Gaussian process regression", 2005,
/// section 4 (subset of regressors).
Residual fit_residual(std::span<const ResidualSample> samples, const ResidualOptions& options = {});

}  // namespace roofcast
