#pragma once
// The multiply-adds that a kernel really does, as opposed to those that its operator's definition asks for.

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// Definition plus recomputation. A fused attention skips the tiles that its mask hides. With q queries, the
/// last ones of k keys, in n = ceil(q / 128) rows of tiles and b = (k - q) / 128 tiles before the first
/// query, a causal row t = 1..n visits b + t tiles, so that
///
///     share = (b + (n + 1) / 2) / (b + n)
///
/// One query over a cache (n = 1) skips nothing; a square (b = 0) does (n + 1) / (2 n). A window of w keys
/// limits a row to (w + min(q, 128) - 1) / 128 tiles: the window, and what it slides within the row. Source:
/// Dao, "FlashAttention-2", 2023, section 3.1 (blocks of 128 keys); the window follows from it.
double executed_macs(const BoundKernel& kernel);

}  // namespace roofcast
