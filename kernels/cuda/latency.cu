#include "kernels/cuda/block_sum.cuh"
#include "kernels/cuda/latency.hpp"
#include "kernels/cuda/map.hpp"

namespace roofcast {
namespace {

__global__ void chase(const char* memory, std::uint64_t lines, std::int64_t hops, std::uint32_t mask,
                      std::uint32_t* state) {
  std::uint64_t line = line_of(*state, lines);
  for (std::int64_t i = 0; i < hops; ++i) {
    // The next line is known before the value arrives, but for bits that only the host knows to be 0.
    const std::uint64_t after = next_line(line, lines);
    std::uint32_t value = 0;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(memory + line * chase_line));
    line = after | (value & mask);
  }
  *state = static_cast<std::uint32_t>(line);
}

__global__ void __launch_bounds__(map_threads, map_blocks_of_unit)
    cache_read(const float4* __restrict__ memory, std::int64_t packs, std::int64_t rounds, float* results) {
  constexpr int unrolled = 4;
  const std::int64_t threads = std::int64_t{gridDim.x} * map_threads;
  const std::int64_t first = std::int64_t{blockIdx.x} * map_threads + threadIdx.x;
  float sums[unrolled] = {};
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t at = first; at < packs; at += unrolled * threads) {
#pragma unroll
      for (int i = 0; i < unrolled; ++i) {
        if (at + i * threads >= packs) continue;
        const float4 four = __ldcg(memory + at + i * threads);
        sums[i] += (four.x + four.y) + (four.z + four.w);
      }
    }
  }
  const float sum = block_sum<map_threads>((sums[0] + sums[1]) + (sums[2] + sums[3]));
  if (threadIdx.x == 0) results[blockIdx.x] = sum;
}

__global__ void nothing(float* result) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *result = 1;
}

}  // namespace

cudaError_t launch_chase(const void* memory, std::uint64_t lines, std::int64_t hops, std::uint32_t mask,
                         std::uint32_t* state, cudaStream_t stream) {
  chase<<<1, 1, 0, stream>>>(static_cast<const char*>(memory), lines, hops, mask, state);
  return cudaGetLastError();
}

cudaError_t launch_cache_read(const float* memory, std::int64_t count, std::int64_t rounds, int units,
                              float* results, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(map_blocks(count, Pack<float>::size, units));
  cache_read<<<blocks, map_threads, 0, stream>>>(reinterpret_cast<const float4*>(memory),
                                                 count / Pack<float>::size, rounds, results);
  return cudaGetLastError();
}

cudaError_t launch_nothing(std::int64_t blocks, std::int64_t threads, float* result, cudaStream_t stream) {
  nothing<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(result);
  return cudaGetLastError();
}

}  // namespace roofcast
