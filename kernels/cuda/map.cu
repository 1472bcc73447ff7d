#include "kernels/cuda/map.hpp"

namespace roofcast {
namespace {

template <class Core, class Number>
__global__ void __launch_bounds__(map_threads, map_blocks_of_unit)
    map_kernel(const Number* __restrict__ left, const Number* __restrict__ right, Number* __restrict__ out,
               std::int64_t count) {
  map_share<Core>(std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x, std::int64_t{gridDim.x} * blockDim.x,
                  count, left, right, out);
}

}  // namespace

template <class Core, class Number>
cudaError_t launch_map(const MapArguments& arguments, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(arguments.blocks);
  map_kernel<Core><<<blocks, map_threads, 0, stream>>>(static_cast<const Number*>(arguments.left),
                                                       static_cast<const Number*>(arguments.right),
                                                       static_cast<Number*>(arguments.out), arguments.count);
  return cudaGetLastError();
}

#define ROOFCAST_MAP(core)                                                          \
  template cudaError_t launch_map<core, float>(const MapArguments&, cudaStream_t);  \
  template cudaError_t launch_map<core, __half>(const MapArguments&, cudaStream_t); \
  template cudaError_t launch_map<core, __nv_bfloat16>(const MapArguments&, cudaStream_t)

ROOFCAST_MAP(CopyCore);
ROOFCAST_MAP(WriteCore);
ROOFCAST_MAP(TriadCore);
ROOFCAST_MAP(AddCore);
ROOFCAST_MAP(ReluCore);
ROOFCAST_MAP(GeluCore);

}  // namespace roofcast
