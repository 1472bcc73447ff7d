#pragma once
// Which rows a fit may look at, and which are kept for judging it. The fit and the validation share this
// file.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/fit/fold.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/validate/measured_row.hpp"

namespace roofcast {

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
