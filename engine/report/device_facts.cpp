#include "engine/report/device_facts.hpp"

#include <algorithm>

#include "engine/hardware/arithmetic_keys.hpp"

namespace roofcast {
namespace {

Cell if_known(double value) {
  return value > 0 ? Cell{value} : Cell{};
}
Cell if_known(int value) {
  return value > 0 ? Cell{std::int64_t{value}} : Cell{};
}

double kibibytes(Bytes amount) {
  return amount.value / 1024.0;
}

}  // namespace

std::vector<DeviceFact> device_facts(const Device& device) {
  return {
      {"vendor", "vendor", device.vendor, ""},
      {"architecture", "architecture", device.architecture, ""},
      {"compute capability", "compute_capability", device.compute_capability, ""},
      {"multiprocessors (SMs)", "sm_count", if_known(device.sm_count), ""},
      {"base clock", "base_clock", if_known(device.base_clock.value / 1e6), "MHz"},
      {"boost clock", "boost_clock", if_known(device.boost_clock.value / 1e6), "MHz"},
      {"tensor clock", "tensor_clock", if_known(device.tensor_clock.value / 1e6), "MHz"},
      {"memory type", "memory_type", device.memory_type, ""},
      {"memory bus", "memory_bus", if_known(device.memory_bus_bits), "bit"},
      {"memory capacity", "capacity", if_known(as_gibibytes(device.capacity)), "GiB"},
      {"memory usable", "usable", if_known(as_gibibytes(device.usable)), "GiB"},
      {"memory bandwidth", "bandwidth", if_known(device.bandwidth.value / 1e9), "GB/s"},
      {"L2 cache", "l2", if_known(as_mebibytes(device.l2)), "MiB"},
      {"shared memory per SM", "shared_memory_per_sm", if_known(kibibytes(device.shared_memory_per_sm)),
       "KiB"},
      {"L1 and shared memory per SM", "l1_and_shared_per_sm",
       if_known(kibibytes(device.l1_and_shared_per_sm)), "KiB"},
      {"registers per SM", "registers_per_sm", if_known(kibibytes(device.registers_per_sm)), "KiB"},
      {"threads per SM", "threads_per_sm", if_known(device.threads_per_sm), ""},
      {"NVLink generation", "nvlink_generation", if_known(device.nvlink_generation), ""},
      {"NVLink, one direction", "nvlink", device.nvlink ? Cell{device.nvlink->value / 1e9} : Cell{}, "GB/s"},
      {"PCIe generation", "pcie_generation", if_known(device.pcie_generation), ""},
      {"PCIe lanes", "pcie_lanes", if_known(device.pcie_lanes), ""},
      {"board power", "board_power", if_known(device.board_power.value), "W"},
      {"launch year", "launch_year", if_known(device.launch_year), ""},
      {"launch price", "launch_price", device.launch_price ? Cell{device.launch_price->value} : Cell{},
       "USD"},
  };
}

std::vector<DevicePeak> device_peaks(const Device& device) {
  std::vector<DevicePeak> peaks;
  for (const ArithmeticKey& key : arithmetic_keys()) {
    const auto rate = device.peak(key.arithmetic);
    if (!rate) continue;
    const std::string name(key.quoted);
    const auto quoted = device.quoted_tera.find(name);
    peaks.push_back(
        {.title = std::string(to_string(key.arithmetic)),
         .key = name,
         .derived = rate->value / 1e12,
         .quoted = quoted == device.quoted_tera.end() ? Cell{} : Cell{quoted->second},
         .unchecked = std::ranges::find(device.unchecked_quotes, name) != device.unchecked_quotes.end()});
  }
  return peaks;
}

}  // namespace roofcast
