#pragma once
// A card, a runtime and priors whose numbers are easy to compute with.

#include "engine/decide/request.hpp"

namespace roofcast {

/// 1 TFLOP/s in fp32, 10 in tf32, fp16 and bf16, 20 in fp8 and int8; 1 TB/s; 8 GiB.
inline Device toy_device() {
  Device device{.slug = "toy-8gb", .name = "Toy", .sm_count = 10};
  device.boost_clock = megahertz(1000);
  device.tensor_clock = megahertz(500);
  const auto set = [&](Arithmetic arithmetic, double rate) {
    device.operations_per_clock_per_sm[static_cast<std::size_t>(arithmetic)] = rate;
  };
  set(Arithmetic::vector_fp64, 2);
  set(Arithmetic::vector_fp32, 100);
  set(Arithmetic::tensor_tf32, 2000);
  set(Arithmetic::tensor_fp16, 2000);
  set(Arithmetic::tensor_bf16, 2000);
  set(Arithmetic::tensor_fp8, 4000);
  set(Arithmetic::tensor_int8, 4000);
  device.capacity = gibibytes(8.25);
  device.usable = gibibytes(8);
  device.bandwidth = gigabytes_per_second(1000);
  return device;
}

/// 5 us a launch, no memory of its own.
inline Runtime toy_runtime() {
  return {.name = "toy", .title = "Toy runtime", .launch = microseconds(5)};
}

/// Peaks are reached; times and memory are sure.
inline Priors toy_priors() {
  return {.spread = 1.0, .memory_spread = 0.0};
}

inline Platform toy_platform() {
  return {.device = toy_device(), .runtime = toy_runtime(), .priors = toy_priors()};
}

}  // namespace roofcast
