#pragma once
// Fits parameters to timings of whole networks, where nobody has timed the kernels one by one.

#include <span>
#include <string>
#include <vector>

#include "engine/fit/fold.hpp"
#include "engine/fit/least_squares.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/hardware/runtime.hpp"
#include "engine/schedule/step_kernel.hpp"
#include "engine/schedule/step_time.hpp"

namespace roofcast {

/// One timing of a network: its passes, and how often each happened in it.
struct NetworkSample {
  struct Pass {
    std::vector<StepKernel> kernels{};
    HostWork host{};
    double times = 1;
  };
  std::string device{};  ///< slug
  Machine machine{};
  Runtime runtime{};
  std::vector<Pass> passes{};
  Seconds measured{};
  std::string source{};  ///< of the table
  Fold fold = Fold::fit;
};

/// ln(measured / predicted) of each sample.
std::vector<double> errors(std::span<const NetworkSample> samples, const Priors& priors);

/// The share of samples that lie within their predicted range.
double covered(std::span<const NetworkSample> samples, const Priors& priors);

/// The parameters of `tables`, starting from those of `priors`. What networks do not depend on stays where it
/// starts.
Priors fit_parameters(const Priors& priors, std::span<const NetworkSample> samples,
                      std::span<const std::string> tables, const FitOptions& options);

}  // namespace roofcast
