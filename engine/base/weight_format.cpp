#include "engine/base/weight_format.hpp"

namespace roofcast {

Expr scale_bytes(const Expr& weights, const WeightScales& scales) {
  constexpr std::int64_t bits_per_byte = 8;
  if (scales.group == 0) return Expr{0};
  const Expr groups = ceil_divide(weights, Expr{scales.group});
  Expr bytes = ceil_divide(groups * Expr{scales.bits}, Expr{bits_per_byte});
  if (scales.outer_group > 0) {
    const Expr outer = ceil_divide(groups, Expr{scales.outer_group});
    bytes += ceil_divide(outer * Expr{scales.outer_bits}, Expr{bits_per_byte});
  }
  return bytes;
}

}  // namespace roofcast
