#include "engine/kernel_time/machine.hpp"

#include <doctest/doctest.h>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

double matrix(const Machine& machine, Arithmetic arithmetic) {
  return machine.matrix[static_cast<std::size_t>(arithmetic)].value;
}

TEST_CASE("machine_of: rates of the units, and none where a card has no path") {
  const Machine machine = machine_of(toy_device());

  CHECK(matrix(machine, Arithmetic::vector_fp32) == close_to(1e12));
  CHECK(matrix(machine, Arithmetic::tensor_fp16) == close_to(10e12));
  CHECK(matrix(machine, Arithmetic::tensor_fp4) == 0);
  CHECK(machine.tensor[static_cast<std::size_t>(Arithmetic::tensor_fp16)]);
  CHECK_FALSE(machine.tensor[static_cast<std::size_t>(Arithmetic::vector_fp32)]);
  CHECK_FALSE(machine.tensor[static_cast<std::size_t>(Arithmetic::tensor_fp4)]);
  CHECK(machine.sms == 10);
}

TEST_CASE("machine_of: what libraries fall back to is no Tensor Core") {
  Device device = toy_device();  // fp64 on vector units alone: 2 operations a clock and SM

  CHECK(matrix(machine_of(device), Arithmetic::tensor_fp64) == close_to(2 * 10 * 1e9));
  CHECK_FALSE(machine_of(device).tensor[static_cast<std::size_t>(Arithmetic::tensor_fp64)]);
}

TEST_CASE("machine_of: a card that runs faster than it is rated computes faster, its memory does not") {
  Device device = toy_device();
  device.running_clock = megahertz(1100);
  const Machine machine = machine_of(device);

  CHECK(machine.clock.value == close_to(1.1e9));
  CHECK(machine.vector.value == close_to(1.1e12));
  CHECK(matrix(machine, Arithmetic::tensor_fp16) == close_to(11e12));
  CHECK(machine.bandwidth.value == 1e12);
}

}  // namespace
}  // namespace roofcast
