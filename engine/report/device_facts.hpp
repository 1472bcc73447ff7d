#pragma once
// The facts of a card in one list, for every format.

#include <string>
#include <vector>

#include "engine/hardware/device.hpp"
#include "engine/report/document.hpp"

namespace roofcast {

struct DeviceFact {
  std::string title{};  ///< "memory bandwidth"
  std::string key{};    ///< "bandwidth"
  Cell value{};         ///< missing where the card has no such thing
  std::string unit{};
};

/// In the units that data sheets use.
std::vector<DeviceFact> device_facts(const Device& device);

/// A peak rate, derived and as quoted, in 1e12 operations per second.
struct DevicePeak {
  std::string title{};
  std::string key{};  ///< as in the file: "fp16_tensor_fp32_accumulate_tflops"
  double derived = 0;
  Cell quoted{};
  bool unchecked = false;
};

std::vector<DevicePeak> device_peaks(const Device& device);

}  // namespace roofcast
