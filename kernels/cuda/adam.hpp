#pragma once
// Adam over many tensors: which pieces of which tensors a launch updates, what a thread does, and the launch.

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/cuda/map.hpp"

namespace roofcast {

/// What is kept of each parameter.
struct AdamState {
  float parameter = 0;
  float mean = 0;    ///< running, of gradients
  float square = 0;  ///< running, of their squares
};

/// Those of step t, with the corrections of the running means worked out:
///
///     rate = lr / (1 - b1^t), root = 1 / sqrt(1 - b2^t)
struct AdamFactors {
  float mean = 0;    ///< b1
  float square = 0;  ///< b2
  float rate = 0;
  float root = 0;
  float epsilon = 0;
};

/// For gradient g:
///
///     m' = b1 m + (1 - b1) g,  s' = b2 s + (1 - b2) g^2,  p' = p - rate m' / (root sqrt(s') + epsilon)
///
/// Source: Kingma, Ba, "Adam", 2015, algorithm 1. Inputs are random: of s the absolute value counts, which
/// costs an instruction's modifier.
ROOFCAST_HOST_DEVICE inline AdamState adam_step(const AdamState& old, float gradient,
                                                const AdamFactors& factors) {
  const float mean = factors.mean * old.mean + (1 - factors.mean) * gradient;
  const float square = factors.square * std::fabs(old.square) + (1 - factors.square) * gradient * gradient;
  const float update = factors.rate * mean / (factors.root * std::sqrt(square) + factors.epsilon);
  return {old.parameter - update, mean, square};
}

/// A tensor's values in fp32, all at multiples of 16 bytes. New values are written beside the old ones, so
/// that every run is the same.
struct AdamTensor {
  const float* gradients = nullptr;
  const float* parameters = nullptr;
  const float* means = nullptr;
  const float* squares = nullptr;
  float* new_parameters = nullptr;
  float* new_means = nullptr;
  float* new_squares = nullptr;
  std::int64_t count = 0;  ///< a multiple of 4
};

inline constexpr std::int64_t adam_chunk = 65536;  // values of a block
inline constexpr int adam_threads = 512;
inline constexpr int adam_tensors = 36;  // of a launch at most: its arguments are at most 4 KiB
inline constexpr int adam_chunks = 320;  // the same

/// What a launch gets: tensors, and of which of them each block updates which chunk.
struct AdamLaunch {
  AdamTensor tensors[adam_tensors]{};
  std::uint32_t chunk_of_block[adam_chunks]{};
  std::uint8_t tensor_of_block[adam_chunks]{};
  AdamFactors factors{};
  int blocks = 0;
};
static_assert(sizeof(AdamLaunch) <= 4096);

/// Launches that together update each value of all tensors once. A tensor may be in several.
inline std::vector<AdamLaunch> adam_launches(const std::vector<AdamTensor>& tensors,
                                             const AdamFactors& factors) {
  std::vector<AdamLaunch> launches;
  int used = adam_tensors;  // of the last launch
  for (const AdamTensor& tensor : tensors) {
    bool is_there = false;
    for (std::int64_t chunk = 0; chunk * adam_chunk < tensor.count; ++chunk) {
      if (launches.empty() || launches.back().blocks == adam_chunks || (!is_there && used == adam_tensors)) {
        launches.push_back({.factors = factors});
        used = 0;
        is_there = false;
      }
      AdamLaunch& launch = launches.back();
      if (!is_there) launch.tensors[used++] = tensor;
      is_there = true;
      launch.tensor_of_block[launch.blocks] = static_cast<std::uint8_t>(used - 1);
      launch.chunk_of_block[launch.blocks++] = static_cast<std::uint32_t>(chunk);
    }
  }
  return launches;
}

/// The share of a thread in block `block`: packs of four values, a block's threads side by side.
ROOFCAST_HOST_DEVICE inline void adam_share(const AdamLaunch& launch, int block, int thread) {
  using Packed = Pack<float>;
  const AdamTensor& tensor = launch.tensors[launch.tensor_of_block[block]];
  const std::int64_t first = launch.chunk_of_block[block] * adam_chunk;
  const std::int64_t end = first + adam_chunk < tensor.count ? first + adam_chunk : tensor.count;
  for (std::int64_t at = first + thread * Packed::size; at < end; at += adam_threads * Packed::size) {
    const auto gradients = *reinterpret_cast<const Packed*>(tensor.gradients + at);
    auto parameters = *reinterpret_cast<const Packed*>(tensor.parameters + at);
    auto means = *reinterpret_cast<const Packed*>(tensor.means + at);
    auto squares = *reinterpret_cast<const Packed*>(tensor.squares + at);
    ROOFCAST_UNROLL
    for (int i = 0; i < Packed::size; ++i) {
      const AdamState state = adam_step({parameters.numbers[i], means.numbers[i], squares.numbers[i]},
                                        gradients.numbers[i], launch.factors);
      parameters.numbers[i] = state.parameter;
      means.numbers[i] = state.mean;
      squares.numbers[i] = state.square;
    }
    *reinterpret_cast<Packed*>(tensor.new_parameters + at) = parameters;
    *reinterpret_cast<Packed*>(tensor.new_means + at) = means;
    *reinterpret_cast<Packed*>(tensor.new_squares + at) = squares;
  }
}

cudaError_t launch_adam(const AdamLaunch& launch, cudaStream_t stream);

}  // namespace roofcast
