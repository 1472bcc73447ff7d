#pragma once
// The sum of a vector, a part for each block: what a stream costs that only reads.

#include <cuda_runtime_api.h>

#include "kernels/cuda/map.hpp"

namespace roofcast {

/// The sum of the share of thread `thread` of `threads`: the same places as `map_share`.
template <class Number>
ROOFCAST_HOST_DEVICE inline float read_share(std::int64_t thread, std::int64_t threads, std::int64_t count,
                                             const Number* in) {
  using Packed = Pack<Number>;
  constexpr int unrolled = 4;
  const std::int64_t packs = count / Packed::size;
  float sums[unrolled] = {};
  std::int64_t at = thread;
  for (; at + (unrolled - 1) * threads < packs; at += unrolled * threads) {
    Packed x[unrolled];
    ROOFCAST_UNROLL
    for (int i = 0; i < unrolled; ++i) x[i] = reinterpret_cast<const Packed*>(in)[at + i * threads];
    ROOFCAST_UNROLL
    for (int i = 0; i < unrolled; ++i) {
      ROOFCAST_UNROLL
      for (int j = 0; j < Packed::size; ++j) sums[i] += to_float(x[i].numbers[j]);
    }
  }
  for (; at < packs; at += threads) {
    const Packed x = reinterpret_cast<const Packed*>(in)[at];
    ROOFCAST_UNROLL
    for (int j = 0; j < Packed::size; ++j) sums[0] += to_float(x.numbers[j]);
  }
  for (std::int64_t i = packs * Packed::size + thread; i < count; i += threads) sums[0] += to_float(in[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Calls `visit(i)` for each place that block `block` of `blocks` adds up.
template <class Visit>
void for_each_read_by(std::int64_t block, std::int64_t blocks, std::int64_t count, int pack_size,
                      Visit&& visit) {
  const std::int64_t threads = blocks * map_threads;
  const std::int64_t packs = count / pack_size;
  for (std::int64_t first = block * map_threads; first < packs; first += threads) {
    const std::int64_t last = first + map_threads < packs ? first + map_threads : packs;
    for (std::int64_t i = first * pack_size; i < last * pack_size; ++i) visit(i);
  }
  for (std::int64_t i = packs * pack_size + block * map_threads; i < count; ++i) {
    if ((i - packs * pack_size) % threads < (block + 1) * map_threads) visit(i);
  }
}

/// Writes a float for each of `map_blocks`.
template <class Number>
cudaError_t launch_read(const MapArguments& arguments, cudaStream_t stream);

}  // namespace roofcast
