#pragma once
// One configuration taken apart, as a document for people, as raw rows and as JSON.

#include <string>
#include <string_view>

#include "engine/decide/explanation.hpp"
#include "engine/report/document.hpp"

namespace roofcast {

/// Totals, a row a kernel, and the formulas of each distinct kernel with their numbers filled in.
Document explanation_document(const Explanation& explanation);

/// One row a kernel with every field; sizes and times are of one launch.
Document explanation_rows(const Explanation& explanation);

std::string explanation_json(const Explanation& explanation, std::string_view tool_version);

}  // namespace roofcast
