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
  for (std::size_t i = 0; i < arithmetics; ++i) {
    const auto arithmetic = static_cast<Arithmetic>(i);
    machine.matrix[i] = device.matrix_peak(arithmetic).value_or(FlopsPerSecond{});
    machine.tensor[i] = arithmetic >= Arithmetic::tensor_fp64 && device.peak(arithmetic).has_value();
  }
  return machine;
}

}  // namespace roofcast
