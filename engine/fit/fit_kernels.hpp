#pragma once
// Fits the parameters of the kernels' time models to timings of operators.

#include <span>
#include <string>
#include <vector>

#include "engine/fit/fold.hpp"
#include "engine/fit/least_squares.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/kernel_time/benchmark.hpp"

namespace roofcast {

/// One timing.
struct KernelSample {
  std::vector<BoundKernel> kernels{};
  Machine machine{};
  Harness harness{};
  Seconds measured{};
  std::string device{};     ///< slug
  std::string source{};     ///< of the table
  std::string kernel{};     ///< the operator's name
  std::string precision{};  ///< as its table says
  std::string group{};      ///< of its table: samples of one group are too alike to judge each other
  Fold fold = Fold::fit;
};

/// ln(measured / predicted) of each sample.
std::vector<double> errors(std::span<const KernelSample> samples, const Priors& priors);

/// The parameters of `tables` (see `named_parameters`), starting from those of `priors`. Parameters that
/// start at 0 stay.
Priors fit_parameters(const Priors& priors, std::span<const KernelSample> samples,
                      std::span<const std::string> tables, const FitOptions& options);

/// The 10th and the 90th percentile of measured / predicted, bounded so that the median lies between them.
/// Source: Vovk, Gammerman, Shafer, "Algorithmic learning in a random world", 2005 (split-conformal
/// prediction).
Spread spread_of(std::span<const KernelSample> samples, const Priors& priors);

}  // namespace roofcast
