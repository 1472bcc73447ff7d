#include "engine/validate/split.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofcast {

bool in_fitted_half(std::string_view source, std::string_view group) {
  return fnv1a64(fmt::format("{}:{}", source, group)) % 2 == 0;
}

bool took_part(const MeasuredRow& row, std::span<const FittedOn> provenance) {
  return std::ranges::any_of(provenance, [&](const FittedOn& fitted) {
    return fitted.source == row.source && (fitted.device.empty() || fitted.device == row.device) &&
           (fitted.kernel.empty() || fitted.kernel == kernel_kind(row)) &&
           (fitted.split == GroupSplit::all || in_fitted_half(row.source, row.group));
  });
}

}  // namespace roofcast
