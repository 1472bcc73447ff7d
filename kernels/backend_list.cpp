#include "kernels/backend_list.hpp"

#include "kernels/cpu/cpu_backend.hpp"
#ifdef ROOFCAST_HAS_CUDA
#include "kernels/cuda/cuda_memory_use.hpp"
#include "kernels/cuda/open_cuda.hpp"
#endif

namespace roofcast {
namespace {

#ifndef ROOFCAST_HAS_CUDA
Result<std::unique_ptr<Backend>> open_cuda_backend() {
  return fail("backend 'cuda' is not in this build", {}, "`--backend cpu` measures the host's processor");
}

constexpr Result<std::vector<MemoryUse>> (*cuda_memory_use)() = nullptr;
#endif

}  // namespace

const std::vector<BackendEntry>& backends() {
  static const std::vector<BackendEntry> all = {{"cpu", open_cpu_backend},
                                                {"cuda", open_cuda_backend, cuda_memory_use}};
  return all;
}

}  // namespace roofcast
