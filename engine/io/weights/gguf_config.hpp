#pragma once
// The metadata of a GGUF file in the words of a config.json.

#include <string>

#include "engine/base/diagnostics.hpp"
#include "engine/io/weights/gguf.hpp"

namespace roofcast {

/// The JSON text of a Hugging Face configuration of the model whose header this is. What the metadata leaves
/// out (a vocabulary's size, biases, a tied head) follows from the tensors.
Result<std::string> gguf_config(const GgufHeader& header);

}  // namespace roofcast
