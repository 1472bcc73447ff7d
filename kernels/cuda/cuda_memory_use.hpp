#pragma once
// What a CUDA context, modules, libraries and graphs take of a GPU's memory.

#include <vector>

#include "kernels/memory_use.hpp"

namespace roofcast {

/// On the first GPU that CUDA shows, in a child process, because each step counts only once in a process.
/// Needs: this process has not used CUDA itself. Fails if there is no device.
Result<std::vector<MemoryUse>> cuda_memory_use();

}  // namespace roofcast
