#pragma once
// A config.json of a Hugging Face model -> Graph, by the file of its family.

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/base/expression.hpp"
#include "engine/graph/graph.hpp"

namespace roofcast {

/// Reads the text of a configuration. `families` is the folder of the families' files, `symbols` are sizes
/// that the user sets; `file` is for messages and names a model without a name. `redefined` are symbols of
/// the family that have other definitions here.
Result<Graph> import_config(std::string_view text, const std::string& file,
                            const std::filesystem::path& families, const Bindings& symbols = {},
                            const std::vector<Symbol>& redefined = {});

}  // namespace roofcast
