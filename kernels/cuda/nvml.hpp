#pragma once
// What NVIDIA's management library tells of a device: power, and what holds its clock down. Only reads.

#include <memory>
#include <optional>
#include <string>

#include "kernels/backend.hpp"

namespace roofcast {

/// Loaded when it is opened, and only if the driver has brought it.
class Nvml {
 public:
  /// The device at that place of the PCI bus; empty if there is no library or no such device.
  static std::optional<Nvml> open(int domain, int bus, int device);

  DeviceCondition condition() const;

  /// What nobody uses of the device's memory.
  std::optional<Bytes> free_memory() const;

  /// "580.65.06"; empty if it does not tell.
  std::string driver_version() const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_{};
  void* device_ = nullptr;
};

/// Whether a mask of reasons says that the clock is held down by power, heat or a brake: not by idling, and
/// not by a clock that someone has set.
bool is_throttled(unsigned long long reasons);

}  // namespace roofcast
