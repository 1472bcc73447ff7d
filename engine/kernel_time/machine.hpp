#pragma once
// What the formulas need of a device, looked up once for all kernels.

#include <array>

#include "engine/base/precision.hpp"
#include "engine/base/units.hpp"
#include "engine/hardware/device.hpp"

namespace roofcast {

/// Rates and sizes of one card in base units (per second, bytes).
struct Machine {
  std::array<FlopsPerSecond, arithmetics> matrix{};  ///< 0 where the card has no such path
  std::array<bool, arithmetics> tensor{};            ///< that path runs on Tensor Cores
  FlopsPerSecond vector{};                           ///< fp32 on CUDA cores
  BytesPerSecond bandwidth{};
  Bytes l2{};
  Hertz clock{};  ///< boost clock
  double sms = 1;
  Bytes shared_memory{};  ///< per SM
  Watts board_power{};
};

Machine machine_of(const Device& device);

}  // namespace roofcast
