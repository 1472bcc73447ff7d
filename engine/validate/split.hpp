#pragma once
// Which rows a fit may look at, and which are kept for judging it. The fit and the validation share this
// file.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/fit/fold.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/validate/measured_row.hpp"

namespace roofcast {

/// FNV-1a with 64 bits. Source: Fowler, Noll, Vo, draft-eastlake-fnv; offset basis 14695981039346656037,
/// prime 1099511628211.
constexpr std::uint64_t fnv1a64(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 1099511628211U;
  }
  return hash;
}

/// The fixed half that fits may use: fnv1a64(source + ":" + group) is even. A whole group takes part or
/// none of it, because rows of one group (a weight's shape at other batch sizes, a network in other
/// precisions) are too alike to judge each other. Nothing random and no list of names: whoever adds a table
/// gets the same split everywhere.
bool in_fitted_half(std::string_view source, std::string_view group);

/// What a row is for in a fit: those outside of the fitted half judge it, a third of the groups inside
/// calibrates.
Fold fold_of(std::string_view source, std::string_view group);

/// Whether this row was seen by the fit.
bool took_part(const MeasuredRow& row, std::span<const FittedOn> fitted_on);

}  // namespace roofcast
