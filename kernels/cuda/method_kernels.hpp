#pragma once
// The kernels that measuring itself needs. Host functions that launch them; they return at once.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/element.hpp"

namespace roofcast {

/// What the host and a waiting stream tell each other, in memory that both see.
struct GateState {
  std::uint32_t open = 0;     ///< the host sets it when all work is queued
  std::uint32_t escaped = 0;  ///< the gate sets it when it has waited for too long
};

/// Two readings of both clocks of an SM.
struct ClockReading {
  std::uint64_t begin_nanoseconds = 0;
  std::uint64_t begin_cycles = 0;
  std::uint64_t end_nanoseconds = 0;
  std::uint64_t end_cycles = 0;
};

/// The inputs of `input_value`.
cudaError_t launch_fill(Element element, void* values, std::uint64_t count, std::uint64_t seed,
                        cudaStream_t stream);

/// Holds the stream until `state->open`, but at most a second.
cudaError_t launch_gate(GateState* state, cudaStream_t stream);

/// Reads `bytes` (a multiple of 16), so that nothing else is left in the cache. Reads only: lines to be
/// written back would disturb whoever comes next. `never` is written in a case that does not occur.
cudaError_t launch_sweep(const void* memory, std::uint64_t bytes, std::uint32_t* never, cudaStream_t stream);

/// Takes about two milliseconds on one SM.
cudaError_t launch_clock_reading(ClockReading* reading, cudaStream_t stream);

}  // namespace roofcast
