#pragma once
// Values as TOML writes them.

#include <string>
#include <string_view>

namespace roofcast {

/// A basic string with its quotes. Control characters become spaces.
std::string toml_string(std::string_view text);

}  // namespace roofcast
