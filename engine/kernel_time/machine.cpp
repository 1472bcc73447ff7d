#include "engine/kernel_time/machine.hpp"

namespace roofcast {

Machine machine_of(const Device& device) {
  Machine machine{.vector = device.peak(Arithmetic::vector_fp32).value_or(FlopsPerSecond{}),
                  .bandwidth = device.bandwidth,
                  .l2 = device.l2,
                  .clock = device.boost_clock,
                  .sms = static_cast<double>(device.sm_count),
                  .shared_memory = device.shared_memory_per_sm,
                  .board_power = device.board_power};
  // Consumer cards run faster than they are rated. Vector rates assume the boost clock, tensor rates their
  // own.
  const double faster = device.running_clock.value > 0 ? device.running_clock / device.boost_clock : 1.0;
  machine.vector = machine.vector * faster;
  machine.clock = machine.clock * faster;
  for (std::size_t i = 0; i < arithmetics; ++i) {
    const auto arithmetic = static_cast<Arithmetic>(i);
    machine.matrix[i] = device.matrix_peak(arithmetic).value_or(FlopsPerSecond{}) * faster;
    machine.tensor[i] = arithmetic >= Arithmetic::tensor_fp64 && device.peak(arithmetic).has_value();
  }
  return machine;
}

}  // namespace roofcast
