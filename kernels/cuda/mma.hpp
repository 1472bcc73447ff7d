#pragma once
// How fast Tensor Cores take mma.sync: each warp multiplies the same two tiles again and again.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string_view>

#include "kernels/cuda/host_device.hpp"

namespace roofcast {

// The tiles of all types are alike in 32-bit words: the first (16 x k, in rows) and the second (k x 8, in
// columns) have 8 words in a row and a column, so k is 8 of tf32, 16 of fp16 and bf16, 32 of int8 and fp8.
inline constexpr int tile_rows = 16;
inline constexpr int tile_columns = 8;
inline constexpr int tile_words = 8;

/// Where in the first tile word `index` (0 to 3) of a lane lies:
///
///     row = lane / 4 + 8 (index mod 2),  word = lane mod 4 + 4 (index / 2)
///
/// Source: PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16" and those of the other shapes.
ROOFCAST_HOST_DEVICE constexpr int first_tile_word(int lane, int index) {
  return (lane / 4 + 8 * (index % 2)) * tile_words + lane % 4 + 4 * (index / 2);
}

/// Where in the second tile word `index` (0 or 1) of a lane lies: column = lane / 4, word = lane mod 4 + 4
/// index.
ROOFCAST_HOST_DEVICE constexpr int second_tile_word(int lane, int index) {
  return lane / 4 * tile_words + lane % 4 + 4 * index;
}

/// Where in the result (16 x 8, in rows) value `index` (0 to 3) of a lane lies:
///
///     row = lane / 4 + 8 (index / 2),  column = 2 (lane mod 4) + index mod 2
ROOFCAST_HOST_DEVICE constexpr int result_tile_place(int lane, int index) {
  return (lane / 4 + 8 * (index / 2)) * tile_columns + 2 * (lane % 4) + index % 2;
}

inline constexpr int mma_chains = 8;     // sums of a warp that do not wait for each other
inline constexpr int mma_threads = 128;  // a block: a warp for each of an SM's four parts

enum class MmaType : std::uint8_t { fp16, bf16, tf32, int8, fp8 };

/// Of a precision that Tensor Cores have.
constexpr MmaType mma_type(std::string_view precision) {
  if (precision == "bf16") return MmaType::bf16;
  if (precision == "tf32") return MmaType::tf32;
  if (precision == "int8") return MmaType::int8;
  return precision == "fp8" ? MmaType::fp8 : MmaType::fp16;
}

struct MmaArguments {
  const void* first = nullptr;    ///< a tile for each warp
  const void* second = nullptr;   ///< the same
  void* results = nullptr;        ///< for each warp `instructions` times the product: fp32, of int8 int32
  std::int64_t warps = 0;         ///< a multiple of 4
  std::int64_t instructions = 0;  ///< of each warp, a multiple of `mma_chains`
};

cudaError_t launch_mma(MmaType type, const MmaArguments& arguments, cudaStream_t stream);

/// fp8, in code that is compiled for compute capability 8.9 and up whatever else is built.
cudaError_t launch_mma_fp8(const MmaArguments& arguments, cudaStream_t stream);

}  // namespace roofcast
