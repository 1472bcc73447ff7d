#include "engine/kernel_time/executed.hpp"

#include <algorithm>
#include <cmath>

namespace roofcast {

double executed_macs(const BoundKernel& kernel) {
  const double all = kernel.macs + kernel.recomputed_macs;
  const auto* attention = std::get_if<Attention<std::int64_t>>(&kernel.form);
  if (attention == nullptr) return all;
  const bool windowed = attention->window > 0 && attention->window < attention->key_length;
  const bool causal = attention->causal && attention->query_length <= attention->key_length;
  if (!causal && !windowed) return all;
  constexpr double tile = 128;
  const auto queries = static_cast<double>(attention->query_length);
  const auto keys = static_cast<double>(attention->key_length);
  const double rows = std::ceil(queries / tile);               // tiles of queries
  const double before = std::max(0.0, keys - queries) / tile;  // tiles of keys before the first query
  // Tiles that each row of tiles may see at most: all keys, or its window and what it slides within the row.
  const double most = windowed ? (static_cast<double>(attention->window) + std::min(queries, tile) - 1) / tile
                               : before + rows;
  // Causal: row t of n sees before + t tiles, until that reaches `most`.
  constexpr double rounding = 1e-9;
  const double growing = causal ? std::clamp(std::floor(most - before + rounding), 0.0, rows) : 0.0;
  const double visited = growing * before + growing * (growing + 1) / 2 + (rows - growing) * most;
  const double counted = windowed ? static_cast<double>(attention->window) / tile : before + rows;
  return all * visited / (rows * counted);
}

}  // namespace roofcast
