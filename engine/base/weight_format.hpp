#pragma once
// What is stored beside quantised weights.

#include "engine/base/expression.hpp"

namespace roofcast {

/// Scales of quantised weights. Every `group` weights share `bits`: a scale and, if there is one, its zero
/// point. Every `outer_group` of these groups share `outer_bits` on top (double quantisation). A group of 0
/// has none.
struct WeightScales {
  std::int64_t group = 0;
  std::int64_t bits = 0;
  std::int64_t outer_group = 0;
  std::int64_t outer_bits = 0;

  friend bool operator==(const WeightScales&, const WeightScales&) = default;
};

/// Bytes of the scales of `weights` values, with n = ceil(weights / group) groups:
///
///     ceil(n bits / 8) + ceil(ceil(n / outer_group) outer_bits / 8)
///
/// Example: 1024 weights in groups of 128 with a 16-bit scale and a 4-bit zero point: 8 groups of 20 bits, 20
/// bytes.
Expr scale_bytes(const Expr& weights, const WeightScales& scales);

}  // namespace roofcast
