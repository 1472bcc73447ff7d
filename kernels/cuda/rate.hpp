#pragma once
// How fast an SM's units are fed from registers and shared memory: multiply-adds, exponentials, reads.

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>

#include "kernels/cuda/number.hpp"

namespace roofcast {

inline constexpr int rate_threads = 256;  // of a block
inline constexpr int rate_chains = 8;     // of a thread, which do not wait for each other

/// Chain `chain` of a thread begins at its input times (chain + 1) / 8 and takes x -> factor x + input.
struct MultiplyAddChain {
  static constexpr float factor = 0.9375F;  // in fp16 too; the chain stays below 16 times the input
  static ROOFCAST_HOST_DEVICE float begin(float input, int chain) {
    return input * (static_cast<float>(chain + 1) / rate_chains);
  }
};

/// x -> 2^-x, which stays between 0 and 1 once it is there. Begins at (chain + 1) / 8 of the input's
/// absolute.
struct ExponentialChain {
  static ROOFCAST_HOST_DEVICE float begin(float input, int chain) {
    return (input < 0 ? -input : input) * (static_cast<float>(chain + 1) / rate_chains);
  }
};

/// Which 16 bytes of a block's shared memory a thread reads in step `step`. The 32 lanes of a warp read 512
/// bytes in a row: no two in one bank at a time.
inline constexpr int shared_packs = 512;
ROOFCAST_HOST_DEVICE constexpr int shared_pack(int thread, int step) {
  return (thread + 32 * step) % shared_packs;
}

struct RateArguments {
  const void* in = nullptr;
  void* results = nullptr;   ///< of each thread the sum of its chains
  std::int64_t threads = 0;  ///< a multiple of `rate_threads`
  std::int64_t steps = 0;    ///< of each thread: instructions of all its chains, or reads
};

/// `in`: a value for each thread.
cudaError_t launch_multiply_add(const RateArguments& arguments, cudaStream_t stream);

/// The same with two fp16 numbers in one instruction; `in` and `results`: two for each thread.
cudaError_t launch_multiply_add_fp16(const RateArguments& arguments, cudaStream_t stream);

/// `in`: a value for each thread.
cudaError_t launch_exponential(const RateArguments& arguments, cudaStream_t stream);

/// `in`: 4 `shared_packs` values for each block. A result is the sum of all that the thread has read.
cudaError_t launch_shared_read(const RateArguments& arguments, cudaStream_t stream);

}  // namespace roofcast
