#include "engine/validate/predict_operator.hpp"

#include "engine/kernel_time/kernel_time.hpp"
#include "engine/validate/operator_kernel.hpp"

namespace roofcast {

Predicted<KernelPrediction> predict_operator(const OperatorRow& row, const Device& device,
                                             const Runtime& runtime, const Priors& priors) {
  const auto kernels = operator_kernels(row);
  if (!kernels) return tl::make_unexpected(kernels.error());
  const DeviceRates rates = rates_of(device);
  Seconds total{};
  for (const BoundKernel& kernel : *kernels) {
    if (kernel.macs > 0 && !device.matrix_peak(kernel.arithmetic)) {
      return no_prediction("no_arithmetic:" + row.precision,
                           device.slug + " has no " + std::string(to_string(kernel.arithmetic)));
    }
    total += kernel_time(kernel, rates, runtime, priors).total;
  }
  return KernelPrediction{{total / priors.spread, total, total * priors.spread}};
}

}  // namespace roofcast
