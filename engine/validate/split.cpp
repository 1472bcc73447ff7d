#include "engine/validate/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/base/fnv1a64.hpp"

namespace roofcast {

bool in_fitted_half(std::string_view source, std::string_view group) {
  return fold_of(source, group) != Fold::judge;
}

Fold fold_of(std::string_view source, std::string_view group) {
  const std::uint64_t hash = fnv1a64(fmt::format("{}:{}", source, group));
  if (hash % 2 != 0) return Fold::judge;
  return (hash >> 8) % 3 == 0 ? Fold::calibrate : Fold::fit;
}

bool took_part(const MeasuredRow& row, std::span<const FittedOn> provenance) {
  return std::ranges::any_of(provenance, [&](const FittedOn& fitted) {
    return fitted.source == row.source && (fitted.device.empty() || fitted.device == row.device) &&
           (fitted.kernel.empty() || fitted.kernel == kernel_kind(row)) &&
           (fitted.split == GroupSplit::all || in_fitted_half(row.source, row.group));
  });
}

}  // namespace roofcast
