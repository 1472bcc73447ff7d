#pragma once
// The version of the program; CMake sets it.

#include <string_view>

#ifndef ROOFCAST_VERSION
#define ROOFCAST_VERSION "0.0.0-unknown"
#endif

namespace roofcast {

inline constexpr std::string_view tool_version = ROOFCAST_VERSION;

}  // namespace roofcast
