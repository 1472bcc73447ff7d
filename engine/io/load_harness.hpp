#pragma once
// A file of hardware_db/harnesses as a value.

#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/harness.hpp"

namespace roofcast {

/// Errors: an unknown key, a kernel family that does not exist, a number that makes no sense.
Result<Harness> load_harness(std::string_view text, const std::string& file);

}  // namespace roofcast
