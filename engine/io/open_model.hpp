#pragma once
// Any file that describes a model -> Graph: our own TOML, ONNX, config.json, GGUF. The content's kind follows
// from the file's ending.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/expression.hpp"
#include "engine/graph/graph.hpp"
#include "engine/io/data_folder.hpp"

namespace roofcast {

/// What a user may say about a model before it is read.
struct OpenOptions {
  Bindings symbols{};  ///< sizes that are given; they decide branches that depend on sizes
  std::map<std::string, std::vector<std::int64_t>, std::less<>> shapes{};  ///< of inputs, by name
  bool allow_unknown = false;  ///< operators that nobody knows are left out with a note instead of refused
};

/// Reads the model at `path`. Families of config.json come from the data folder.
Result<Graph> open_model(const DataFolder& data, const std::filesystem::path& path,
                         const OpenOptions& options = {});

}  // namespace roofcast
