#pragma once
// An operator's row as the kernels that the engine would run for it.

#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel_time/kernel_time.hpp"
#include "engine/validate/measured_row.hpp"
#include "engine/validate/outcome.hpp"

namespace roofcast {

/// Sizes, arithmetic, counts and bytes as `lower` would give them to the operator: each operand is read once
/// and each result written once. No prediction for operators and precisions that are not known here.
Predicted<std::vector<BoundKernel>> operator_kernels(const OperatorRow& row);

/// The operators that `operator_kernels` knows.
std::vector<std::string> known_operators();

}  // namespace roofcast
