#include "engine/kernel_time/benchmark.hpp"

#include <variant>

namespace roofcast {

Reuse<double> reuse_in_benchmark(const BoundKernel& kernel, int weight_copies) {
  Reuse<double> reuse{.bytes = kernel.read.value};
  if (const auto* gemm = std::get_if<Gemm<std::int64_t>>(&kernel.form)) {
    const auto inputs = static_cast<double>(gemm->m);
    const auto outputs = static_cast<double>(gemm->n);
    reuse.distance = (weight_copies - 1) * kernel.read.value * outputs / (inputs + outputs);
  }
  return reuse;
}

Seconds benchmark_time(std::span<const BoundKernel> kernels, const TimeModel& model, const Harness& harness) {
  Seconds total{};
  for (const BoundKernel& kernel : kernels) {
    BoundKernel warm = kernel;
    if (!harness.cold) warm.reused = {reuse_in_benchmark(kernel, harness.weight_copies)};
    // Where sets of operands take turns, what a stream writes goes to memory as well.
    TimeModel seen = model;
    if (harness.cold && std::holds_alternative<Stream<std::int64_t>>(kernel.form)) seen.machine.l2 = Bytes{1};
    total += sustained(kernel_time(warm, seen), matrix_unit(kernel.arithmetic, model.machine), model);
  }
  if (!kernels.empty()) total += harness.overhead[static_cast<std::size_t>(family(kernels.front().form))];
  return total;
}

}  // namespace roofcast
