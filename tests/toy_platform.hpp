#pragma once
// A card, a runtime and priors whose numbers are easy to compute with.

#include <limits>

#include "engine/decide/request.hpp"

namespace roofcast {

/// 10 SMs at 1 GHz; 1 TFLOP/s in fp32, 10 in tf32, fp16 and bf16, 20 in fp8 and int8; 1 TB/s; 8 GiB. The L2
/// cache holds everything and is no faster than the memory.
inline Device toy_device() {
  Device device{.slug = "toy-8gb", .name = "Toy", .compute_capability = "8.0", .sm_count = 10};
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
  device.l2 = gibibytes(1024);
  device.board_power = Watts{100};
  return device;
}

/// A host that costs nothing, and no memory of its own.
inline Runtime toy_runtime() {
  return {.name = "toy", .title = "Toy runtime", .spread = 1.0};
}

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// A roofline for products of `k` that is a multiple of 32 and a number of results that is one of 10 SMs:
/// 5 us + max(2 m n k / P, bytes / W). Tiles are single values, so that none is wasted, and k is never split.
inline GemmParameters toy_gemm_parameters() {
  return {.peak_share = 1,
          .half_perimeter = 0,
          .small_tile = 1,
          .launch_us = 5,
          .wave_us = 0,
          .slab_us = 0,
          .bandwidth_share = 1,
          .l2_bytes_per_clock = infinite,
          .latency_us = 0,
          .overlap = infinite,
          .split_us = 1e12,
          .ramp_us = 0,
          .write_weight = 1,
          .store_bytes_per_clock = infinite,
          .unaligned = 1,
          .tiles = {{1, 1}},
          .spread = {1, 1}};
}

/// Peaks and bandwidths are reached, a launch takes 5 us on the device, nothing draws power, times and memory
/// are sure.
inline Priors toy_priors() {
  Priors priors{.memory_spread = 0.0};
  KernelParameters& kernels = priors.kernels;
  kernels.gemm.fill(toy_gemm_parameters());
  kernels.convolution.fill({.product = toy_gemm_parameters(),
                            .implicit_share = 1,
                            .winograd_share = 1e-9,        // never
                            .fused_winograd_share = 1e-9,  // never
                            .transform_share = 1,
                            .launch_us = 0,
                            .copied_share = 0,
                            .weight_gradient_share = 1,
                            .grouped_share = 1,
                            .grouped_last_share = 1,
                            .depthwise_share = 1,
                            .depthwise_taps = infinite,
                            .depthwise_weight_share = 1,
                            .spread = {1, 1}});
  kernels.attention = {.forward_share = 1,
                       .backward_share = 1,
                       .score_operations = 0,
                       .launch_us = 5,
                       .imbalance = 0,
                       .bandwidth_share = 1,
                       .few_blocks = 0,
                       .decode_launch_us = 5,
                       .decode_head_us = 0,
                       .spread = {1, 1}};
  kernels.stream.fill({.bandwidth_share = 1, .launch_us = 5, .operations_share = 1, .spread = {1, 1}});
  kernels.gather = {.bandwidth_share = 1, .launch_us = 5, .sector_bytes = 0, .spread = {1, 1}};
  kernels.power.fill({.watts_per_tera = 0});
  kernels.cache = {.resident_share = 1, .l2_bytes_per_clock = 0};
  return priors;
}

inline Platform toy_platform() {
  return {.device = toy_device(), .runtime = toy_runtime(), .priors = toy_priors()};
}

}  // namespace roofcast
