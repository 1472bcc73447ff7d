#include "engine/fit/fit_kernels.hpp"

#include <algorithm>
#include <cmath>

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
  Priors fitted = priors;
  std::vector<NamedParameter> free;
  for (const NamedParameter& parameter : named_parameters(fitted.kernels)) {
    if (std::ranges::find(tables, parameter.table) == tables.end()) continue;
    if (*parameter.value > 0 && parameter.spread > 0) free.push_back(parameter);
  }
  std::vector<FitParameter> parameters;
  for (const NamedParameter& parameter : free) {
    parameters.push_back({parameter.table + "." + std::string(parameter.key), *parameter.value, parameter.spread,
                          parameter.low, parameter.high});
  }
  const auto apply = [&](std::span<const double> values) {
    for (std::size_t i = 0; i < free.size(); ++i) *free[i].value = values[i];
  };
  const Residuals residuals = [&](std::span<const double> values) {
    apply(values);
    std::vector<double> result = errors(samples, fitted);
    for (double& error : result) error = -error;
    return result;
  };
  apply(fit_least_squares(parameters, residuals, options).values);
  return fitted;
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
