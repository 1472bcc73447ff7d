#include "kernels/cuda/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace roofcast {
namespace {

// NVML's header is not part of the toolkit's minimal packages; these are its functions as its manual has them
// ("NVML API Reference", Device Queries). All return 0 if they succeed.
using Initialise = int (*)();
using ByBusId = int (*)(const char* bus_id, void** device);
using PowerUsage = int (*)(void* device, unsigned* milliwatts);
using ThrottleReasons = int (*)(void* device, unsigned long long* reasons);
struct Memory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
using MemoryInfo = int (*)(void* device, Memory* memory);
using DriverVersion = int (*)(char* text, unsigned size);

}  // namespace

struct Nvml::Functions {
  Initialise initialise = nullptr;
  ByBusId by_bus_id = nullptr;
  PowerUsage power_usage = nullptr;
  ThrottleReasons throttle_reasons = nullptr;
  MemoryInfo memory_info = nullptr;
  DriverVersion driver_version = nullptr;
};

std::optional<Nvml> Nvml::open(int domain, int bus, int device) {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // stays until the process ends
  if (library == nullptr) return std::nullopt;
  const auto functions = std::make_shared<Functions>();
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
  };
  find(functions->initialise, "nvmlInit_v2");
  find(functions->by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  find(functions->power_usage, "nvmlDeviceGetPowerUsage");
  find(functions->throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(functions->memory_info, "nvmlDeviceGetMemoryInfo");
  find(functions->driver_version, "nvmlSystemGetDriverVersion");
  if (functions->initialise == nullptr || functions->by_bus_id == nullptr || functions->initialise() != 0)
    return std::nullopt;
  Nvml nvml;
  const std::string place = fmt::format("{:08X}:{:02X}:{:02X}.0", domain, bus, device);
  if (functions->by_bus_id(place.c_str(), &nvml.device_) != 0) return std::nullopt;
  nvml.functions_ = functions;
  return nvml;
}

DeviceCondition Nvml::condition() const {
  DeviceCondition now;
  unsigned milliwatts = 0;
  if (functions_->power_usage != nullptr && functions_->power_usage(device_, &milliwatts) == 0)
    now.power = Watts{1e-3 * milliwatts};
  unsigned long long reasons = 0;
  if (functions_->throttle_reasons != nullptr && functions_->throttle_reasons(device_, &reasons) == 0)
    now.throttled = is_throttled(reasons);
  return now;
}

std::optional<Bytes> Nvml::free_memory() const {
  Memory memory;
  if (functions_->memory_info == nullptr || functions_->memory_info(device_, &memory) != 0)
    return std::nullopt;
  return Bytes{static_cast<double>(memory.free)};
}

std::string Nvml::driver_version() const {
  std::array<char, 81> text{};
  if (functions_->driver_version == nullptr || functions_->driver_version(text.data(), text.size() - 1) != 0)
    return {};
  return text.data();
}

bool is_throttled(unsigned long long reasons) {
  constexpr unsigned long long power_cap = 0x4;
  constexpr unsigned long long hardware_slowdown = 0x8;
  constexpr unsigned long long software_heat = 0x20;
  constexpr unsigned long long hardware_heat = 0x40;
  constexpr unsigned long long power_brake = 0x80;
  return (reasons & (power_cap | hardware_slowdown | software_heat | hardware_heat | power_brake)) != 0;
}

}  // namespace roofcast
