#pragma once
// Times that are no streams: a chain of reads each of which waits for the one before, the cache that all SMs
// share, and launches.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/host_device.hpp"

namespace roofcast {

inline constexpr std::uint64_t chase_line = 128;  // bytes

/// Line after line `line` of `lines` (a power of two) in an order that returns to its begin after all of
/// them:
///
///     x -> (a x + c) mod 2^p,  a mod 4 = 1, c odd
///
/// Source: Hull, Dobell, "Random number generators", SIAM Review 4, 1962, theorem 1.
ROOFCAST_HOST_DEVICE constexpr std::uint64_t next_line(std::uint64_t line, std::uint64_t lines) {
  return (line * 2862933555777941757ULL + 3037000493ULL) & (lines - 1);
}

/// The line where a chain goes on that has left `state`.
ROOFCAST_HOST_DEVICE constexpr std::uint64_t line_of(std::uint32_t state, std::uint64_t lines) {
  return state & (lines - 1);
}

/// One thread reads a value in `hops` lines. Which line comes next waits for the value, whose bits `mask`
/// takes away: it has to be 0. Three instructions of arithmetic are between two reads. Begins at the line of
/// `state`, where it also leaves the last one: the next run reads other lines, until all were read.
cudaError_t launch_chase(const void* memory, std::uint64_t lines, std::int64_t hops, std::uint32_t mask,
                         std::uint32_t* state, cudaStream_t stream);

/// Reads `count` floats `rounds` times, beside the first-level cache. Writes the sum over all rounds of the
/// places of each block of `read_share`.
cudaError_t launch_cache_read(const float* memory, std::int64_t count, std::int64_t rounds, int units,
                              float* results, cudaStream_t stream);

/// Blocks that do nothing but that the first one writes 1.
cudaError_t launch_nothing(std::int64_t blocks, std::int64_t threads, float* result, cudaStream_t stream);

}  // namespace roofcast
