#pragma once
// The kinds of devices that this build can measure.

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/memory_use.hpp"

namespace roofcast {

struct BackendEntry {
  std::string_view name{};
  Result<std::unique_ptr<Backend>> (*open)() = nullptr;  ///< fails with one line that says why it cannot

  /// What its software takes of the device's memory; nullptr if that is not known of such devices.
  Result<std::vector<MemoryUse>> (*memory_use)() = nullptr;
};

const std::vector<BackendEntry>& backends();

}  // namespace roofcast
