#pragma once
// A table of raw rows as JSON, for lists that need no shape of their own.

#include <string>

#include "engine/report/document.hpp"

namespace roofcast {

/// {"schema_version": 1, "<name>": [{key: value}, ...]} of the document's first table.
std::string rows_json(const Document& rows, const std::string& name);

}  // namespace roofcast
