#pragma once
// The day in UTC, "2026-12-01".

#include <string>

namespace roofcast {

std::string today();

}  // namespace roofcast
