#pragma once
// The priors of an architecture from everything that was measured on its cards.

#include <string>
#include <vector>

#include "engine/fit/fit_errors.hpp"
#include "engine/fit/fit_kernels.hpp"
#include "engine/fit/fit_networks.hpp"

namespace roofcast {

/// What one stage did. The errors are of the samples that are kept to judge.
struct FitReport {
  std::string stage{};
  std::size_t fitted = 0;
  std::size_t calibrated = 0;
  std::size_t judged = 0;
  FitErrors before{};
  FitErrors parameters{};  ///< with the parameters alone
  FitErrors after{};       ///< with the residual, if it was worth having
  Spread spread{};
};

struct ArchitectureFit {
  Priors priors{};
  std::vector<FitReport> reports{};
};

/// Starts from the general values of `base` with the tiles of `own`. Each family of kernels that operators
/// are timed for is fitted by itself (fit_stages), the kernels that nobody timed then to whole networks, the
/// others held fixed. A fit to the samples of `Fold::fit` is tried on those of `Fold::calibrate`: they decide
/// whether a residual stays (it must lower their median by 2% of itself without raising the 90th percentile)
/// and how wide ranges are. Then both folds are fitted together, so ranges are those of a fit that saw less.
/// `Fold::judge` decides nothing.
ArchitectureFit fit_architecture(const Priors& own, const Priors& base,
                                 std::span<const KernelSample> operators,
                                 std::span<const NetworkSample> networks);

}  // namespace roofcast
