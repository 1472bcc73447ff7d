#pragma once
// What a configuration's quantization_config says of the weights in the checkpoint.

#include <optional>

#include "engine/base/stored_format.hpp"
#include "engine/io/import_config/config.hpp"

namespace roofcast {

/// In the words of `stored_format`; nothing if the checkpoint is not quantised.
std::optional<Quantization> read_quantization(const Config& config);

}  // namespace roofcast
