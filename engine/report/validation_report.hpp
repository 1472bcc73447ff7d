#pragma once
// How far predictions are from measurements, in all forms.

#include <span>
#include <string>
#include <string_view>

#include "engine/report/document.hpp"
#include "engine/validate/validation.hpp"

namespace roofcast {

Document validation_document(const Validation& validation);

/// One row a group and one for all rows, which has no key; errors as fractions.
Document validation_groups(const Validation& validation);

/// One row a measured row, with its prediction or why there is none; times in seconds.
Document validation_rows(std::span<const MeasuredRow> rows, std::span<const Outcome> outcomes,
                         std::span<const FittedOn> provenance);

std::string validation_json(const Validation& validation, std::string_view tool_version);

}  // namespace roofcast
