#include "engine/fit/fit_networks.hpp"

#include <cmath>

#include "engine/fit/fit_tables.hpp"

namespace roofcast {

std::vector<double> errors(std::span<const NetworkSample> samples, const Priors& priors) {
  std::vector<double> result;
  result.reserve(samples.size());
  for (const NetworkSample& sample : samples) {
    const TimeModel model{.machine = sample.machine, .priors = &priors};
    Seconds predicted{};
    for (const NetworkSample::Pass& pass : sample.passes) {
      StepSum sum(sample.runtime, model);
      for (const StepKernel& step : pass.kernels) sum.add(step.kernel, step.stretch, step.count);
      predicted += pass.times * sum.finish(pass.host).time.p50;
    }
    result.push_back(std::log(sample.measured / predicted));
  }
  return result;
}

Priors fit_parameters(const Priors& priors, std::span<const NetworkSample> samples,
                      std::span<const std::string> tables, const FitOptions& options) {
  return fit_tables(priors, tables, options, [&](const Priors& at) { return errors(samples, at); });
}

}  // namespace roofcast
