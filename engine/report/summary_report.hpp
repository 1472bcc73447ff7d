#pragma once
// What a model is, as a document for people, as raw rows and as JSON.

#include <string>
#include <string_view>

#include "engine/decide/explanation.hpp"
#include "engine/report/document.hpp"

namespace roofcast {

Document summary_document(const ModelSummary& summary);

/// One row with the counts.
Document summary_rows(const ModelSummary& summary);

std::string summary_json(const ModelSummary& summary, std::string_view tool_version);

}  // namespace roofcast
