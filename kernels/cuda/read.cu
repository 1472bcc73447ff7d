#include "kernels/cuda/block_sum.cuh"
#include "kernels/cuda/read.hpp"

namespace roofcast {
namespace {

template <class Number>
__global__ void __launch_bounds__(map_threads, map_blocks_of_unit)
    read_kernel(const Number* __restrict__ in, float* __restrict__ out, std::int64_t count) {
  const float share = read_share(std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                                 std::int64_t{gridDim.x} * blockDim.x, count, in);
  const float sum = block_sum<map_threads>(share);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

}  // namespace

template <class Number>
cudaError_t launch_read(const MapArguments& arguments, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(arguments.blocks);
  read_kernel<<<blocks, map_threads, 0, stream>>>(static_cast<const Number*>(arguments.left),
                                                  static_cast<float*>(arguments.out), arguments.count);
  return cudaGetLastError();
}

template cudaError_t launch_read<float>(const MapArguments&, cudaStream_t);
template cudaError_t launch_read<__half>(const MapArguments&, cudaStream_t);
template cudaError_t launch_read<__nv_bfloat16>(const MapArguments&, cudaStream_t);

}  // namespace roofcast
