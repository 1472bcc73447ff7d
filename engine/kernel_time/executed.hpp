#pragma once
// The multiply-adds that a kernel really does, as opposed to those that its operator's definition asks for.

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// Definition plus recomputation. A fused causal attention skips the tiles above the diagonal:
///
///     share = (n + 1) / (2 n),  n = ceil(length / 128) tiles a side
///
/// Source: Dao, "FlashAttention-2", 2023, section 3.1 (blocks of 128 keys).
double executed_macs(const BoundKernel& kernel);

}  // namespace roofcast
