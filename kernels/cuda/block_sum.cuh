#pragma once
// The sum over all threads of a block.

namespace roofcast {

inline constexpr unsigned all_lanes = 0xffffffffU;

/// In every thread: the sum of all threads of a block. Needs: blocks of `threads`, a multiple of 32.
template <int threads>
__device__ float block_sum(float value) {
  __shared__ float sums[threads / 32];
#pragma unroll
  for (int bit = 16; bit > 0; bit /= 2) value += __shfl_xor_sync(all_lanes, value, bit);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int warp = 0; warp < threads / 32; ++warp) sum += sums[warp];
  return sum;
}

}  // namespace roofcast
