#pragma once
// The time of an operator's row.

#include "engine/hardware/harness.hpp"
#include "engine/kernel_time/benchmark.hpp"
#include "engine/validate/measured_row.hpp"
#include "engine/validate/outcome.hpp"

namespace roofcast {

/// The sum over the operator's kernels and what the harness adds. No prediction where the device lacks the
/// arithmetic or the operator is not known.
Predicted<KernelPrediction> predict_operator(const OperatorRow& row, const Device& device,
                                             const TimeModel& model, const Harness& harness);

}  // namespace roofcast
