#include "engine/kernel_time/benchmark.hpp"

#include <cmath>
#include <variant>

namespace roofcast {

double cached_share(const BoundKernel& kernel, int weight_copies, const Machine& machine) {
  const auto* gemm = std::get_if<Gemm<std::int64_t>>(&kernel.form);
  if (gemm == nullptr) return 0;
  const double inputs = static_cast<double>(gemm->m);
  const double outputs = static_cast<double>(gemm->n);
  const double weights = kernel.read.value * outputs / (inputs + outputs);
  constexpr double usable = 0.7;  // of the L2 cache
  const double held = (kernel.read + kernel.written).value + (weight_copies - 1) * weights;
  return 1 / (1 + std::pow(held / (usable * machine.l2.value), 4));
}

Seconds benchmark_time(std::span<const BoundKernel> kernels, const TimeModel& model, const Harness& harness) {
  Seconds total{};
  for (const BoundKernel& kernel : kernels) {
    BoundKernel warm = kernel;
    if (!harness.cold) warm.cached = cached_share(kernel, harness.weight_copies, model.machine);
    // A stream finds what the kernel before has left in the cache: nothing of its own.
    TimeModel seen = model;
    if (harness.cold && std::holds_alternative<Stream<std::int64_t>>(kernel.form)) seen.machine.l2 = Bytes{1};
    total += sustained(kernel_time(warm, seen), matrix_unit(kernel.arithmetic, model.machine), model);
  }
  if (!kernels.empty()) total += harness.overhead[static_cast<std::size_t>(family(kernels.front().form))];
  return total;
}

}  // namespace roofcast
