#pragma once
// Patterns in the names of cards and model files.

#include <string>
#include <string_view>
#include <vector>

namespace roofcast {

bool is_pattern(std::string_view text);  ///< has a `*` or `?`

/// The names that match, in their order. `*` stands for any characters, `?` for one.
std::vector<std::string> matches(std::string_view pattern, const std::vector<std::string>& names);

}  // namespace roofcast
