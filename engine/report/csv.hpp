#pragma once
// Comma-separated values as RFC 4180 has them, for pandas and spreadsheets.

#include <string>

#include "engine/report/document.hpp"
#include "engine/report/format.hpp"

namespace roofcast {

/// The document's first table: one header row of keys, no comments, an empty field for a missing value, lines
/// that end in \n (readers take both; RFC 4180 has \r\n).
std::string write_csv(const Document& document, const Style& style = {});

}  // namespace roofcast
