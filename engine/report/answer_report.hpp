#pragma once
// An answer as a document for people, as raw rows and as JSON.

#include <string>
#include <string_view>

#include "engine/decide/answer.hpp"
#include "engine/report/document.hpp"

namespace roofcast {

/// Verdicts, the grid of configurations (or, for several cards or models, the recommended row of each side by
/// side), memory by category at the recommended one, assumptions, notes and warnings. Unless `all`, rows on
/// the plateau behind the recommended batch are folded, and grids of several groups are left out.
Document answer_document(const Answer& answer, bool all);

/// One row a configuration with every field in raw SI units: the long form for pandas.
Document answer_rows(const Answer& answer);

/// Keys are stable; new ones may be added, none is renamed.
std::string answer_json(const Answer& answer, std::string_view tool_version);

}  // namespace roofcast
