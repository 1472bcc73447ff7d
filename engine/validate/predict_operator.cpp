#include "engine/validate/predict_operator.hpp"

#include <cmath>

#include "engine/validate/operator_kernel.hpp"
#include "engine/validate/split.hpp"

namespace roofcast {

namespace {

Predicted<std::vector<BoundKernel>> runnable_kernels(const OperatorRow& row, const Device& device) {
  auto kernels = operator_kernels(row);
  if (!kernels) return kernels;
  for (const BoundKernel& kernel : *kernels) {
    if (kernel.macs > 0 && !device.matrix_peak(kernel.arithmetic)) {
      return no_prediction("no_arithmetic:" + row.precision,
                           device.slug + " has no " + std::string(to_string(kernel.arithmetic)));
    }
  }
  return kernels;
}

}  // namespace

Harness harness_of(const MeasuredRow& row, const std::map<std::string, Harness, std::less<>>& harnesses) {
  for (const std::string& name : {row.source, row.runtime}) {
    const auto known = harnesses.find(name);
    if (known != harnesses.end()) return known->second;
  }
  return {};
}

std::optional<KernelSample> operator_sample(const MeasuredRow& row, const Device& device,
                                            const Harness& harness) {
  const auto* op = std::get_if<OperatorRow>(&row.what);
  // Fits are of what kernels do at the clock that a cool card has (tests/validation/README.md).
  if (op == nullptr || row.runtime == "calibrate-sustained") return std::nullopt;
  auto kernels = runnable_kernels(*op, device);
  if (!kernels || kernels->empty()) return std::nullopt;
  return KernelSample{.kernels = *std::move(kernels),
                      .machine = machine_of(device),
                      .harness = harness,
                      .measured = row.measured,
                      .device = device.slug,
                      .source = row.source,
                      .kernel = op->op,
                      .precision = op->precision,
                      .group = row.group,
                      .fold = fold_of(row.source, row.group)};
}

Predicted<KernelPrediction> predict_operator(const OperatorRow& row, const Device& device,
                                             const TimeModel& model, const Harness& harness) {
  const auto kernels = runnable_kernels(row, device);
  if (!kernels) return tl::make_unexpected(kernels.error());
  const Seconds total = benchmark_time(*kernels, model, harness);
  const Spread spread = kernel_time(kernels->front(), model).spread;
  const double widened = model.priors->widened;
  return KernelPrediction{
      {total * std::pow(spread.low, widened), total, total * std::pow(spread.high, widened)}};
}

}  // namespace roofcast
