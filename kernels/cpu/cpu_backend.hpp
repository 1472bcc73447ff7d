#pragma once
// The host's processor as a device to measure: all cores together.

#include <memory>

#include "kernels/backend.hpp"

namespace roofcast {

Result<std::unique_ptr<Backend>> open_cpu_backend();

}  // namespace roofcast
