#pragma once
// The numbers that kernels store, to and from float, and the random ones that inputs are filled with.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

#include "kernels/cuda/host_device.hpp"
#include "kernels/random.hpp"

namespace roofcast {

ROOFCAST_HOST_DEVICE inline float to_float(float x) {
  return x;
}
ROOFCAST_HOST_DEVICE inline float to_float(__half x) {
  return __half2float(x);
}
ROOFCAST_HOST_DEVICE inline float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
ROOFCAST_HOST_DEVICE inline float to_float(__nv_fp8_e4m3 x) {
  return static_cast<float>(x);
}
ROOFCAST_HOST_DEVICE inline float to_float(std::int8_t x) {
  return static_cast<float>(x);
}

/// Rounded to the nearest, ties to even.
template <class Number>
ROOFCAST_HOST_DEVICE Number from_float(float x);
template <>
ROOFCAST_HOST_DEVICE inline float from_float<float>(float x) {
  return x;
}
template <>
ROOFCAST_HOST_DEVICE inline __half from_float<__half>(float x) {
  return __float2half_rn(x);
}
template <>
ROOFCAST_HOST_DEVICE inline __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}
template <>
ROOFCAST_HOST_DEVICE inline __nv_fp8_e4m3 from_float<__nv_fp8_e4m3>(float x) {
  return __nv_fp8_e4m3(x);
}

/// What stands at `place` of an input: nearly normal; of whole numbers from -127 to 127, all equally likely.
template <class Number>
ROOFCAST_HOST_DEVICE inline Number random_number(std::uint64_t seed, std::uint64_t place) {
  return from_float<Number>(random_bell(seed, place));
}
template <>
ROOFCAST_HOST_DEVICE inline std::int8_t random_number<std::int8_t>(std::uint64_t seed, std::uint64_t place) {
  return static_cast<std::int8_t>(static_cast<std::int64_t>((random_bits(seed, place) >> 32U) % 255) - 127);
}

}  // namespace roofcast
