#pragma once
// Reads a card's file, such as hardware_db/gpus/a100-sxm4-80gb.toml.

#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/device.hpp"

namespace roofcast {

/// The card that `text` describes; its slug is the stem of `file`. All mistakes are reported, in the order of
/// the file.
Result<Device> load_device(std::string_view text, const std::string& file);

}  // namespace roofcast
