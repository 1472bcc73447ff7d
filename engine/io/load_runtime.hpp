#pragma once
// Reads a framework's file, such as hardware_db/runtimes/pytorch-eager.toml.

#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/runtime.hpp"

namespace roofcast {

/// The runtime that `text` describes; its name is the stem of `file`.
Result<Runtime> load_runtime(std::string_view text, const std::string& file);

}  // namespace roofcast
