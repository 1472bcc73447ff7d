#pragma once
// Model files without operators of their own: another model at other sizes, or a family with a configuration.

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/graph/graph.hpp"

namespace roofcast {

/// Whether a model file takes its operators from elsewhere.
bool is_variant(std::string_view text);

/// Reads the text of a model file that has either `variant_of`, the name of a model beside it, or `[config]`,
/// what a config.json would say, in TOML. `[symbols]` redefines symbols of either. `families` is the folder
/// of the families' files; `symbols` are sizes that the user sets.
Result<Graph> load_variant(std::string_view text, const std::filesystem::path& path,
                           const std::filesystem::path& families, const Bindings& symbols = {});

}  // namespace roofcast
