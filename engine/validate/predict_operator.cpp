#include "engine/validate/predict_operator.hpp"

#include <cmath>

#include "engine/validate/operator_kernel.hpp"

namespace roofcast {

Predicted<KernelPrediction> predict_operator(const OperatorRow& row, const Device& device,
                                             const TimeModel& model, const Harness& harness) {
  const auto kernels = operator_kernels(row);
  if (!kernels) return tl::make_unexpected(kernels.error());
  for (const BoundKernel& kernel : *kernels) {
    if (kernel.macs > 0 && !device.matrix_peak(kernel.arithmetic)) {
      return no_prediction("no_arithmetic:" + row.precision,
                           device.slug + " has no " + std::string(to_string(kernel.arithmetic)));
    }
  }
  const Seconds total = benchmark_time(*kernels, model, harness);
  const Spread spread = kernel_time(kernels->front(), model).spread;
  const double widened = model.priors->widened;
  return KernelPrediction{
      {total * std::pow(spread.low, widened), total, total * std::pow(spread.high, widened)}};
}

}  // namespace roofcast
