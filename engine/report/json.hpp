#pragma once
// JSON values that mean what they say: whole numbers without a fraction, null for what is missing. Only for
// this folder's .cpp files: the library is heavy.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/report/document.hpp"

namespace roofcast {

using Json = nlohmann::ordered_json;

/// Whole numbers below 2^53 as integers; what is not finite as null.
Json json_number(double value);
Json json_number(const std::optional<double>& value);

/// null for an empty text.
Json text_or_null(const std::string& text);

/// {"name": value, ...} in the order of the list; values of a name that comes twice are joined with ", ".
Json json_object(const std::vector<std::pair<std::string, std::string>>& pairs);

Json json_cell(const Cell& cell);

/// Indented by two, with a line end. Text that is not UTF-8, such as an odd file name, is shown with U+FFFD.
std::string dumped(const Json& json);

}  // namespace roofcast
