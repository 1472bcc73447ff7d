#include "engine/fit/fit_errors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace roofcast {

FitErrors fit_errors(std::span<const double> logarithms) {
  std::vector<double> relative;
  for (const double error : logarithms) relative.push_back(std::exp(-error) - 1);
  if (relative.empty()) return {};
  std::ranges::sort(relative);
  FitErrors result{.bias = relative[relative.size() / 2]};
  for (double& error : relative) error = std::abs(error);
  std::ranges::sort(relative);
  result.median = relative[relative.size() / 2];
  result.p90 = relative[relative.size() * 9 / 10];
  return result;
}

}  // namespace roofcast
