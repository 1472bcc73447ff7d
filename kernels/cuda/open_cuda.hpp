#pragma once
// NVIDIA GPUs as devices to measure: the first that CUDA shows.

#include <memory>

#include "kernels/backend.hpp"

namespace roofcast {

/// In a child process, so that an error that stays ends one probe only. Fails with one line if there is no
/// driver or no device.
Result<std::unique_ptr<Backend>> open_cuda_backend();

}  // namespace roofcast
