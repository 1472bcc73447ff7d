#pragma once
// Measures on a CUDA device through a table of calls.

#include <memory>
#include <optional>

#include "kernels/backend.hpp"
#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/nvml.hpp"

namespace roofcast {

/// `facts` and `device` describe what is behind `api`; the clock is measured here.
Result<std::unique_ptr<Backend>> make_cuda_backend(CudaApi api, DeviceFacts facts, CudaDevice device,
                                                   std::optional<Nvml> nvml = {});

}  // namespace roofcast
