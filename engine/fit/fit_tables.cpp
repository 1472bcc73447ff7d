#include "engine/fit/fit_tables.hpp"

#include <algorithm>

namespace roofcast {

Priors fit_tables(const Priors& start, std::span<const std::string> tables, const FitOptions& options,
                  const std::function<std::vector<double>(const Priors&)>& errors) {
  Priors fitted = start;
  std::vector<NamedParameter> free;
  std::vector<FitParameter> parameters;
  for (const NamedParameter& parameter : named_parameters(fitted.kernels)) {
    if (std::ranges::find(tables, parameter.table) == tables.end()) continue;
    if (*parameter.value <= 0 || parameter.spread <= 0) continue;
    free.push_back(parameter);
    parameters.push_back({parameter.table + "." + std::string(parameter.key), *parameter.value,
                          parameter.spread, parameter.low, parameter.high});
  }
  const auto apply = [&](std::span<const double> values) {
    for (std::size_t i = 0; i < free.size(); ++i) *free[i].value = values[i];
  };
  const Residuals residuals = [&](std::span<const double> values) {
    apply(values);
    std::vector<double> result = errors(fitted);
    for (double& error : result) error = -error;
    return result;
  };
  apply(fit_least_squares(parameters, residuals, options).values);
  return fitted;
}

}  // namespace roofcast
