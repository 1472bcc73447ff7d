#include "engine/validate/roofline.hpp"

#include <algorithm>

#include "engine/kernel_time/executed.hpp"
#include "engine/predict.hpp"

namespace roofcast {

Seconds roofline(const BoundKernel& kernel, const Device& device) {
  const Seconds memory = (kernel.read + kernel.written) / device.bandwidth;
  const double macs = executed_macs(kernel);
  const auto peak = device.matrix_peak(kernel.arithmetic);
  if (macs == 0 || !peak) return memory;
  return std::max(memory, Flops{2 * macs} / *peak);
}

Seconds roofline(const CompiledProgram& program, std::span<const std::int64_t> slots, const Device& device) {
  Seconds total{};
  for (const CompiledKernel& kernel : program.kernels) {
    const auto count = static_cast<double>(slots[static_cast<std::size_t>(kernel.count)]);
    total += count * roofline(bound(kernel, slots), device);
  }
  return total;
}

}  // namespace roofcast
