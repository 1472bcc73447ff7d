#pragma once
// What one thread of a block of fused attention does, for host and device. `Team` is what threads do
// together: on a device that of attention.cu, in tests threads of the host.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/attention.hpp"
#include "kernels/cuda/mma.hpp"
#include "kernels/cuda/number.hpp"

namespace roofcast {

/// Keys and values of a tile in shared memory: rows of `head_size` numbers in packs of 16 bytes. Pack p of
/// row r lies where pack p xor (r mod 8) would: the same pack of eight rows in a row covers all 32 banks.
template <class Number, int head_size>
struct alignas(128) AttentionTiles {
  static constexpr int pack_numbers = 8;
  Number keys[attention_tile * head_size];
  Number values[attention_tile * head_size];

  static ROOFCAST_HOST_DEVICE constexpr int place(int row, int pack) {
    return row * head_size + (pack ^ (row & 7)) * pack_numbers;
  }
};

/// Two neighbours of a row, which a register holds: the first in its lower half.
template <class Number>
struct alignas(4) NumberPair {
  Number numbers[2];
};

/// Both rounded by one instruction.
template <class Number>
ROOFCAST_HOST_DEVICE NumberPair<Number> pair_of(float first, float second);
template <>
ROOFCAST_HOST_DEVICE inline NumberPair<__half> pair_of<__half>(float first, float second) {
  const __half2 both = __floats2half2_rn(first, second);
  return {{both.x, both.y}};
}
template <>
ROOFCAST_HOST_DEVICE inline NumberPair<__nv_bfloat16> pair_of<__nv_bfloat16>(float first, float second) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(first, second);
  return {{both.x, both.y}};
}

template <class Number>
ROOFCAST_HOST_DEVICE inline std::uint32_t word_of(const NumberPair<Number>& pair) {
  std::uint32_t word = 0;
  std::memcpy(&word, &pair, sizeof word);
  return word;
}

/// 2^x.
ROOFCAST_HOST_DEVICE inline float power_of_two(float x) {
#ifdef __CUDA_ARCH__
  float power = 0;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return std::exp2(x);
#endif
}

/// What a thread keeps of the two queries of its warp's 16 that it has a share of: lane / 4 and lane / 4 + 8.
template <int head_size>
struct AttentionRows {
  float largest[2] = {-INFINITY, -INFINITY};  ///< of the scores so far
  float sum[2] = {0, 0};                      ///< of the weights of this thread's keys
  float values[head_size / 8][4] = {};        ///< weighted and summed up; not yet divided by the sum
};

inline constexpr int key_groups = attention_tile / 8;  // each of 8 keys: a tile of mma.sync

/// Copies rows `first` to `first` + 63 of one head, where `stride` numbers lie between rows; of those behind
/// `length`, which are not read, zeros. Ends before `team.wait_for_copies()` does.
ROOFCAST_EITHER_SIDE
template <int head_size, class Number, class Team>
ROOFCAST_HOST_DEVICE inline void copy_tile(Team& team, Number* tile, const Number* rows, int stride,
                                           int first, int length) {
  using Tiles = AttentionTiles<Number, head_size>;
  constexpr int packs = head_size / Tiles::pack_numbers;
  constexpr int rows_at_once = attention_threads / packs;
  const int pack = team.thread() % packs;
  const int first_row = team.thread() / packs;
  const Number* from = rows + std::int64_t{first + first_row} * stride + pack * Tiles::pack_numbers;
  ROOFCAST_UNROLL
  for (int i = 0; i < attention_tile / rows_at_once; ++i) {
    const int row = first_row + i * rows_at_once;
    team.copy_pack(tile + Tiles::place(row, pack), from, first + row < length);
    from += rows_at_once * stride;
  }
}

/// The warp's 16 queries as first tiles of mma.sync, `head_size` / 16 of them; behind `left` zeros.
template <int head_size, class Number>
ROOFCAST_HOST_DEVICE inline void load_queries(std::uint32_t (&words)[head_size / 16][4], int lane,
                                              const Number* queries, int stride, int left) {
  ROOFCAST_UNROLL
  for (int step = 0; step < head_size / 16; ++step) {
    ROOFCAST_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int place = first_tile_word(lane, i);
      const int row = place / tile_words;
      const Number* from = queries + row * stride + 16 * step + 2 * (place % tile_words);
      words[step][i] = row < left ? word_of(*reinterpret_cast<const NumberPair<Number>*>(from)) : 0;
    }
  }
}

/// Scores of 16 queries and 64 keys: `scores[group]` are sums of mma.sync for 8 keys. A load brings 32
/// numbers of each of 8 keys, as two second tiles.
ROOFCAST_EITHER_SIDE
template <int head_size, class Number, class Team>
ROOFCAST_HOST_DEVICE inline void multiply_keys(Team& team, float (&scores)[key_groups][4],
                                               const std::uint32_t (&queries)[head_size / 16][4],
                                               const Number* keys) {
  using Tiles = AttentionTiles<Number, head_size>;
  const int lane = team.thread() % 32;
  ROOFCAST_UNROLL
  for (int part = 0; part < head_size / 32; ++part) {
    ROOFCAST_UNROLL
    for (int group = 0; group < key_groups; ++group) {
      std::uint32_t words[2][2];
      team.load_matrices(words, keys + Tiles::place(8 * group + lane % 8, 4 * part + lane / 8));
      team.add_product(scores[group], queries[2 * part], words[0]);
      team.add_product(scores[group], queries[2 * part + 1], words[1]);
    }
  }
}

/// Keys that a query does not see get weight 0. `seen`: how many of the tile's keys each of the two queries
/// sees.
ROOFCAST_HOST_DEVICE inline void hide_keys(float (&scores)[key_groups][4], int lane, const int (&seen)[2]) {
  const int first = result_tile_place(lane, 0) % tile_columns;  // of the lane's keys in a group
  const int left[2] = {seen[0] - first, seen[1] - first};
  ROOFCAST_UNROLL
  for (int group = 0; group < key_groups; ++group) {
    ROOFCAST_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (8 * group + i % 2 >= left[i / 2]) scores[group][i] = -INFINITY;
    }
  }
}

/// Scores become weights, and what was summed up before is brought to their scale. With scores s of the new
/// keys and c = log2(e) / sqrt(head_size):
///
///     m' = max(m, max s),  f = 2^(c (m - m')),  w = 2^(c (s - m')),  l' = f l + sum w,  o' = f o
///
/// Source: Milakov, Gimelshein, "Online normalizer calculation for softmax", 2018; Dao, "FlashAttention-2",
/// 2023, algorithm 1. Needs: each query has seen a key.
ROOFCAST_EITHER_SIDE
template <int head_size, class Team>
ROOFCAST_HOST_DEVICE inline void weigh(Team& team, AttentionRows<head_size>& rows,
                                       float (&scores)[key_groups][4], float scale) {
  ROOFCAST_UNROLL
  for (int row = 0; row < 2; ++row) {
    float largest = rows.largest[row];
    ROOFCAST_UNROLL
    for (int group = 0; group < key_groups; ++group)
      largest = fmaxf(largest, fmaxf(scores[group][2 * row], scores[group][2 * row + 1]));
    largest = fmaxf(largest, team.exchanged(largest, 1));
    largest = fmaxf(largest, team.exchanged(largest, 2));
    const float shift = largest * scale;
    const float factor = power_of_two(rows.largest[row] * scale - shift);
    float sum = rows.sum[row] * factor;
    ROOFCAST_UNROLL
    for (int group = 0; group < key_groups; ++group) {
      ROOFCAST_UNROLL
      for (int i = 2 * row; i < 2 * row + 2; ++i) {
        scores[group][i] = power_of_two(scores[group][i] * scale - shift);
        sum += scores[group][i];
      }
    }
    ROOFCAST_UNROLL
    for (int group = 0; group < head_size / 8; ++group) {
      rows.values[group][2 * row] *= factor;
      rows.values[group][2 * row + 1] *= factor;
    }
    rows.largest[row] = largest;
    rows.sum[row] = sum;
  }
}

/// Adds weights times values. Sums of two groups of keys lie in a lane as a first tile does. A load brings 8
/// numbers of each of 32 keys, transposed, as two second tiles.
ROOFCAST_EITHER_SIDE
template <int head_size, class Number, class Team>
ROOFCAST_HOST_DEVICE inline void multiply_values(Team& team, AttentionRows<head_size>& rows,
                                                 const float (&weights)[key_groups][4],
                                                 const Number* values) {
  using Tiles = AttentionTiles<Number, head_size>;
  const int lane = team.thread() % 32;
  std::uint32_t words[key_groups / 2][4];
  ROOFCAST_UNROLL
  for (int i = 0; i < key_groups; ++i) {
    words[i / 2][2 * (i % 2)] = word_of(pair_of<Number>(weights[i][0], weights[i][1]));
    words[i / 2][2 * (i % 2) + 1] = word_of(pair_of<Number>(weights[i][2], weights[i][3]));
  }
  ROOFCAST_UNROLL
  for (int group = 0; group < head_size / 8; ++group) {
    ROOFCAST_UNROLL
    for (int part = 0; part < attention_tile / 32; ++part) {
      std::uint32_t of_keys[2][2];
      team.load_transposed_matrices(of_keys, values + Tiles::place(32 * part + lane, group));
      team.add_product(rows.values[group], words[2 * part], of_keys[0]);
      team.add_product(rows.values[group], words[2 * part + 1], of_keys[1]);
    }
  }
}

/// Divides by the sum of all weights and writes the `left` first of the warp's 16 results.
ROOFCAST_EITHER_SIDE
template <int head_size, class Number, class Team>
ROOFCAST_HOST_DEVICE inline void store_results(Team& team, const AttentionRows<head_size>& rows,
                                               Number* results, int stride, int left) {
  ROOFCAST_UNROLL
  for (int row = 0; row < 2; ++row) {
    float sum = rows.sum[row];
    sum += team.exchanged(sum, 1);
    sum += team.exchanged(sum, 2);
    const float scale = 1.0F / sum;
    const int place = result_tile_place(team.thread() % 32, 2 * row);
    if (place / tile_columns >= left) continue;
    Number* to = results + place / tile_columns * stride + place % tile_columns;
    ROOFCAST_UNROLL
    for (int group = 0; group < head_size / 8; ++group) {
      *reinterpret_cast<NumberPair<Number>*>(to + 8 * group) =
          pair_of<Number>(rows.values[group][2 * row] * scale, rows.values[group][2 * row + 1] * scale);
    }
  }
}

/// The share of the team's thread in block `number`. Values of a tile are on their way while its keys are
/// multiplied, and the next keys while values are.
ROOFCAST_EITHER_SIDE
template <class Number, int head_size, class Team>
ROOFCAST_HOST_DEVICE inline void attention_share(Team& team, AttentionTiles<Number, head_size>& tiles,
                                                 const AttentionArguments& arguments, int number) {
  const AttentionSizes& sizes = arguments.sizes;
  const AttentionBlock block = attention_block(sizes, arguments.causal, number);
  const int stride = sizes.heads * head_size;
  const int key_stride = sizes.kv_heads * head_size;
  const int lane = team.thread() % 32;
  const int first_query = block.first_query + team.thread() / 32 * 16;  // of the warp
  const int queries_left = sizes.query_length - first_query;
  const std::int64_t at =
      (std::int64_t{block.sequence} * sizes.query_length + first_query) * stride + block.head * head_size;
  const int key_head = block.head / (sizes.heads / sizes.kv_heads);
  const std::int64_t keys_at =
      std::int64_t{block.sequence} * sizes.key_length * key_stride + key_head * head_size;
  const Number* keys = static_cast<const Number*>(arguments.keys) + keys_at;
  const Number* values = static_cast<const Number*>(arguments.values) + keys_at;
  const float scale = 1.44269504F / sqrtf(static_cast<float>(head_size));  // log2(e) / sqrt(head_size)

  copy_tile<head_size>(team, tiles.keys, keys, key_stride, 0, sizes.key_length);
  std::uint32_t queries[head_size / 16][4];
  load_queries<head_size>(queries, lane, static_cast<const Number*>(arguments.queries) + at, stride,
                          queries_left);
  AttentionRows<head_size> rows;
  for (int tile = 0; tile < block.key_tiles; ++tile) {
    const int first_key = tile * attention_tile;
    team.wait_for_copies();
    team.sync();
    copy_tile<head_size>(team, tiles.values, values, key_stride, first_key, sizes.key_length);
    float scores[key_groups][4] = {};
    multiply_keys<head_size>(team, scores, queries, tiles.keys);
    if (first_key + attention_tile > seen_keys(sizes, arguments.causal, block.first_query)) {
      const int query = first_query + lane / 4;
      const int seen[2] = {seen_keys(sizes, arguments.causal, query) - first_key,
                           seen_keys(sizes, arguments.causal, query + 8) - first_key};
      hide_keys(scores, lane, seen);
    }
    weigh(team, rows, scores, scale);
    team.wait_for_copies();
    team.sync();
    if (tile + 1 < block.key_tiles) {
      copy_tile<head_size>(team, tiles.keys, keys, key_stride, first_key + attention_tile, sizes.key_length);
    }
    multiply_values<head_size>(team, rows, scores, tiles.values);
  }
  store_results(team, rows, static_cast<Number*>(arguments.results) + at, stride, queries_left);
}

}  // namespace roofcast
