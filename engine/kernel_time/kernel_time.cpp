#include "engine/kernel_time/kernel_time.hpp"

#include <algorithm>

#include "engine/kernel_time/executed.hpp"

namespace roofcast {

DeviceRates rates_of(const Device& device) {
  DeviceRates rates{.vector = device.peak(Arithmetic::vector_fp32).value_or(FlopsPerSecond{}),
                    .bandwidth = device.bandwidth};
  for (std::size_t i = 0; i < arithmetics; ++i) {
    rates.matrix[i] = device.matrix_peak(static_cast<Arithmetic>(i)).value_or(FlopsPerSecond{});
  }
  return rates;
}

KernelTime kernel_time(const BoundKernel& kernel, const DeviceRates& rates, const Runtime& runtime,
                       const Priors& priors) {
  const Efficiency& reached = priors.efficiency[static_cast<std::size_t>(family(kernel.form))];
  KernelTime time{.launch = runtime.launch, .executed_macs = executed_macs(kernel)};
  if (time.executed_macs > 0) {
    const FlopsPerSecond peak = rates.matrix[static_cast<std::size_t>(kernel.arithmetic)];
    time.compute = Flops{2.0 * time.executed_macs} / (peak * reached.compute);
  } else {
    time.compute = Flops{kernel.operations} / (rates.vector * reached.compute);
  }
  time.memory = (kernel.read + kernel.written) / (rates.bandwidth * reached.memory);
  const Seconds longer = std::max(time.compute, time.memory);
  time.total = time.launch + longer;
  time.bound = time.launch > longer         ? Bound::launch
               : time.compute > time.memory ? Bound::compute
                                            : Bound::memory;
  return time;
}

}  // namespace roofcast
