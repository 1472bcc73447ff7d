#pragma once
// The kinds of devices that this build can measure.

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/backend.hpp"

namespace roofcast {

struct BackendEntry {
  std::string_view name{};
  Result<std::unique_ptr<Backend>> (*open)() = nullptr;  ///< fails with one line that says why it cannot
};

const std::vector<BackendEntry>& backends();

}  // namespace roofcast
