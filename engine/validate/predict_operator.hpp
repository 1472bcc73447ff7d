#pragma once
// The time of an operator's row.

#include <map>
#include <optional>
#include <string>

#include "engine/fit/fit_kernels.hpp"
#include "engine/hardware/harness.hpp"
#include "engine/kernel_time/benchmark.hpp"
#include "engine/validate/measured_row.hpp"
#include "engine/validate/outcome.hpp"

namespace roofcast {

/// How the row was timed: as its source does, else as the program that ran it, else with nothing on top.
Harness harness_of(const MeasuredRow& row, const std::map<std::string, Harness, std::less<>>& harnesses);

/// The row of an operator as a sample for a fit; none where it could not be predicted either, and none of
/// sustained load.
std::optional<KernelSample> operator_sample(const MeasuredRow& row, const Device& device,
                                            const Harness& harness);

/// The sum over the operator's kernels and what the harness adds. No prediction where the device lacks the
/// arithmetic or the operator is not known.
Predicted<KernelPrediction> predict_operator(const OperatorRow& row, const Device& device,
                                             const TimeModel& model, const Harness& harness);

}  // namespace roofcast
