#include "engine/fit/fit_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "engine/fit/fit_tables.hpp"

namespace roofcast {

std::vector<double> errors(std::span<const KernelSample> samples, const Priors& priors) {
  std::vector<double> result;
  result.reserve(samples.size());
  for (const KernelSample& sample : samples) {
    const TimeModel model{.machine = sample.machine, .priors = &priors};
    const Seconds predicted = benchmark_time(sample.kernels, model, sample.harness);
    result.push_back(std::log(sample.measured / predicted));
  }
  return result;
}

Priors fit_parameters(const Priors& priors, std::span<const KernelSample> samples,
                      std::span<const std::string> tables, const FitOptions& options) {
  return fit_tables(priors, tables, options, [&](const Priors& at) { return errors(samples, at); });
}

Spread spread_of(std::span<const KernelSample> samples, const Priors& priors) {
  std::vector<double> sorted = errors(samples, priors);
  if (sorted.size() < 10) return {};
  std::ranges::sort(sorted);
  const double low = sorted[sorted.size() / 10];
  const double high = sorted[sorted.size() * 9 / 10];
  constexpr double narrowest = 0.01;
  return {.low = std::exp(std::min(low, -narrowest)), .high = std::exp(std::max(high, narrowest))};
}

}  // namespace roofcast
