#pragma once
// The loop around mma.sync, for any type.

#include "kernels/cuda/mma.hpp"
#include "kernels/cuda/tensor_core.cuh"

namespace roofcast {

/// `Instruction` has the type `Sum` and adds the product of both tiles to four sums. Tiles come from memory
/// and all sums are written, so that nothing can be left out.
template <class Instruction>
__global__ void __launch_bounds__(mma_threads)
    mma_kernel(const std::uint32_t* __restrict__ first, const std::uint32_t* __restrict__ second,
               typename Instruction::Sum* __restrict__ results, std::int64_t instructions) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t warp = (std::int64_t{blockIdx.x} * mma_threads + threadIdx.x) / 32;
  std::uint32_t a[4];
  std::uint32_t b[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = first[warp * tile_rows * tile_words + first_tile_word(lane, i)];
#pragma unroll
  for (int i = 0; i < 2; ++i) b[i] = second[warp * tile_columns * tile_words + second_tile_word(lane, i)];
  typename Instruction::Sum sums[mma_chains][4] = {};
#pragma unroll 4
  for (std::int64_t i = 0; i < instructions / mma_chains; ++i) {
#pragma unroll
    for (int chain = 0; chain < mma_chains; ++chain) Instruction::add(sums[chain], a, b);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    typename Instruction::Sum sum = 0;
#pragma unroll
    for (int chain = 0; chain < mma_chains; ++chain) sum += sums[chain][i];
    results[warp * tile_rows * tile_columns + result_tile_place(lane, i)] = sum;
  }
}

template <class Instruction>
cudaError_t launch_mma_of(const MmaArguments& arguments, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(arguments.warps * 32 / mma_threads);
  mma_kernel<Instruction><<<blocks, mma_threads, 0, stream>>>(
      static_cast<const std::uint32_t*>(arguments.first), static_cast<const std::uint32_t*>(arguments.second),
      static_cast<typename Instruction::Sum*>(arguments.results), arguments.instructions);
  return cudaGetLastError();
}

}  // namespace roofcast
