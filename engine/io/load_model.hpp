#pragma once
// A model file in our own format -> Graph.

#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/graph/graph.hpp"

namespace roofcast {

/// Reads the text of a model file. `file` is for messages; `symbols` are sizes that the user sets, for nodes
/// that are only there at some sizes.
Result<Graph> load_model(std::string_view text, const std::string& file, const Bindings& symbols = {});

/// The same with repeated blocks written out, as a file without `repeat` would have them.
Result<Graph> load_model_unrolled(std::string_view text, const std::string& file);

}  // namespace roofcast
