#pragma once
// Fused attention by tiles of queries and keys: which part of it a block of threads computes, and its launch.

#include <cuda_runtime_api.h>

#include "kernels/attention_sizes.hpp"
#include "kernels/cuda/host_device.hpp"

namespace roofcast {

inline constexpr int attention_tile = 64;      // queries of a block, and keys that it sees at a time
inline constexpr int attention_threads = 128;  // of a block: a warp for each 16 queries

/// o = softmax(q k^T / sqrt(head_size)) v for each sequence and head. Causal: the queries are the last ones,
/// and none sees later keys; there are at least as many keys as queries.
struct AttentionArguments {
  const void* queries = nullptr;
  const void* keys = nullptr;
  const void* values = nullptr;
  void* results = nullptr;
  AttentionSizes sizes{};
  bool causal = false;
};

/// Keys that a query sees, of as many as there are: the first ones.
ROOFCAST_HOST_DEVICE constexpr int seen_keys(const AttentionSizes& sizes, bool causal, int query) {
  const int seen = query + 1 + sizes.key_length - sizes.query_length;
  return causal && seen < sizes.key_length ? seen : sizes.key_length;
}

ROOFCAST_HOST_DEVICE constexpr int tiles_of(int length) {
  return (length + attention_tile - 1) / attention_tile;
}

ROOFCAST_HOST_DEVICE constexpr int attention_blocks(const AttentionSizes& sizes) {
  return tiles_of(sizes.query_length) * sizes.heads * sizes.batch;
}

/// What one block computes.
struct AttentionBlock {
  int sequence = 0;
  int head = 0;
  int first_query = 0;
  int key_tiles = 0;  ///< that any of its queries sees
};

/// Blocks begin in the order of their numbers. Those of one head follow each other, so that they find its
/// keys in the cache; of causal attention, where later queries see more keys, the last queries of all heads
/// come first: the longest block first, as Graham's rule has it ("Bounds on multiprocessing timing
/// anomalies", 1969).
ROOFCAST_HOST_DEVICE constexpr AttentionBlock attention_block(const AttentionSizes& sizes, bool causal,
                                                              int number) {
  const int tiles = tiles_of(sizes.query_length);
  const int all_heads = sizes.heads * sizes.batch;
  const int tile = causal ? tiles - 1 - number / all_heads : number % tiles;
  const int head = causal ? number % all_heads : number / tiles;
  const int end = (tile + 1) * attention_tile;
  const int last_query = (end < sizes.query_length ? end : sizes.query_length) - 1;
  return {head / sizes.heads, head % sizes.heads, tile * attention_tile,
          tiles_of(seen_keys(sizes, causal, last_query))};
}

/// fp16 and bf16, head sizes 64 and 128; fails for others.
template <class Number>
cudaError_t launch_attention(const AttentionArguments& arguments, cudaStream_t stream);

}  // namespace roofcast
