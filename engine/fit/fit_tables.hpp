#pragma once
// Tables of priors as the parameters of a least-squares fit.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/fit/least_squares.hpp"
#include "engine/hardware/priors.hpp"

namespace roofcast {

/// Fits the numbers of `tables` (see `named_parameters`) so that the errors, ln(measured / predicted), become
/// small. Numbers that start at 0 stay.
Priors fit_tables(const Priors& start, std::span<const std::string> tables, const FitOptions& options,
                  const std::function<std::vector<double>(const Priors&)>& errors);

}  // namespace roofcast
