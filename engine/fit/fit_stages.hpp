#pragma once
// Which parameters are fitted together, and to timings of which operators.

#include <functional>
#include <string>
#include <vector>

#include "engine/fit/fit_kernels.hpp"

namespace roofcast {

/// Parameters that are fitted together on the samples that depend on them.
struct FitStage {
  std::string name{};
  std::vector<std::string> tables{};
  std::function<bool(const KernelSample&)> takes{};
  std::function<Residual*(Priors&)> residual{};  ///< null: this family has none
  std::function<Spread&(Priors&)> spread{};
  double noise = 0.06;
  double prior_weight = 1;  ///< see `FitOptions`
};

/// One stage for each family of kernels that operators are timed for, in the order in which they are fitted.
std::vector<FitStage> fit_stages();

}  // namespace roofcast
