#pragma once
// How fast the Tensor Cores of compute capability 9.0 take wgmma, the instruction by which four warps
// multiply tiles in shared memory: the only one that reaches their peak.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/host_device.hpp"
#include "kernels/cuda/mma.hpp"

namespace roofcast {

// The tiles of all types are alike in bytes: the first (64 x k) and the second (k x 256, in columns) have 128
// bytes of k, of which an instruction takes 32: 8 numbers of tf32, 16 of fp16 and bf16, 32 of int8 and fp8.
inline constexpr int wgmma_rows = 64;
inline constexpr int wgmma_columns = 256;
inline constexpr int wgmma_row_bytes = 128;
inline constexpr int wgmma_step_bytes = 32;
inline constexpr int wgmma_steps = wgmma_row_bytes / wgmma_step_bytes;
inline constexpr int wgmma_chunks = wgmma_row_bytes / 16;  // pieces of 16 bytes in a row
inline constexpr int wgmma_group_threads = 128;            // four warps, which share an instruction
inline constexpr int wgmma_groups_of_block = 2;            // which share the second tile

/// A round is so many instructions, and begins with sums of 0: each result is `wgmma_products` times that of
/// the tiles, however many rounds there were. Sums of fp8 have few bits, and would not bear thousands of
/// them.
inline constexpr int wgmma_round = 8;
inline constexpr int wgmma_products = wgmma_round / wgmma_steps;

/// Which 16 bytes of a tile in shared memory hold chunk `chunk` of row `row`: chunks are swizzled over 128
/// bytes, so that 8 rows of a column lie in different banks. Source: PTX ISA 9.0, "Asynchronous warpgroup
/// level matrix shared memory layout", swizzling mode of 128 bytes.
ROOFCAST_HOST_DEVICE constexpr int wgmma_chunk_place(int row, int chunk) {
  return row * wgmma_chunks + (chunk ^ (row % 8));
}

/// How wgmma is told about a tile at `address` of shared memory, a multiple of 1024 but for whole steps of k:
///
///     bits 0-13 address / 16,  16-29 not used with this swizzle (1),  32-45 bytes from 8 rows to the next /
///     16, 62-63 swizzle of 128 bytes (1)
///
/// Source: PTX ISA 9.0, "Matrix descriptor format" of wgmma.
ROOFCAST_HOST_DEVICE constexpr std::uint64_t wgmma_descriptor(std::uint32_t address) {
  constexpr std::uint64_t eight_rows = 8 * wgmma_row_bytes;
  return ((address & 0x3FFFFU) >> 4U) | (std::uint64_t{1} << 16U) | (eight_rows >> 4U << 32U) |
         (std::uint64_t{1} << 62U);
}

/// Where in the result (64 x 256, in rows) value `index` (0 to 127) of a thread of the group lies:
///
///     row = 16 (thread / 32) + lane / 4 + 8 (index / 2 mod 2),  column = 8 (index / 4) + 2 (lane mod 4) +
///     index mod 2
///
/// Source: PTX ISA 9.0, "Register fragments for wgmma.mma_async.m64nNk16", matrix D.
ROOFCAST_HOST_DEVICE constexpr int wgmma_result_place(int thread, int index) {
  const int lane = thread % 32;
  const int row = 16 * (thread / 32) + lane / 4 + 8 * (index / 2 % 2);
  return row * wgmma_columns + 8 * (index / 4) + 2 * (lane % 4) + index % 2;
}

struct WgmmaArguments {
  const void* first = nullptr;    ///< a tile of 64 rows for each group
  const void* second = nullptr;   ///< a tile of 256 columns for each block, each column's values in a row
  void* results = nullptr;        ///< for each group `wgmma_products` times the product: fp32, of int8 int32
  std::int64_t groups = 0;        ///< a multiple of `wgmma_groups_of_block`
  std::int64_t instructions = 0;  ///< of each group, a multiple of `wgmma_round`
};

/// Only on compute capability 9.0: its code runs on no other.
cudaError_t launch_wgmma(MmaType type, const WgmmaArguments& arguments, cudaStream_t stream);

}  // namespace roofcast
