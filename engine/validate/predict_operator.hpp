#pragma once
// The time of an operator's row.

#include "engine/hardware/device.hpp"
#include "engine/hardware/runtime.hpp"
#include "engine/validate/measured_row.hpp"
#include "engine/validate/outcome.hpp"

namespace roofcast {

/// The sum over the operator's kernels. No prediction where the device lacks the arithmetic or the operator
/// is not known.
Predicted<KernelPrediction> predict_operator(const OperatorRow& row, const Device& device,
                                             const Runtime& runtime, const Priors& priors);

}  // namespace roofcast
