#include "kernels/cuda/adam.hpp"

namespace roofcast {
namespace {

__global__ void __launch_bounds__(adam_threads) adam_kernel(const __grid_constant__ AdamLaunch launch) {
  adam_share(launch, static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
}

}  // namespace

cudaError_t launch_adam(const AdamLaunch& launch, cudaStream_t stream) {
  adam_kernel<<<static_cast<unsigned>(launch.blocks), adam_threads, 0, stream>>>(launch);
  return cudaGetLastError();
}

}  // namespace roofcast
