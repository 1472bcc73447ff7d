#pragma once
// Files with weights as models, and the weights that lie beside a configuration.

#include <filesystem>

#include "engine/base/diagnostics.hpp"
#include "engine/graph/graph.hpp"
#include "engine/io/open_model.hpp"

namespace roofcast {

/// A GGUF file: its metadata describe the model.
Result<Graph> open_gguf(const DataFolder& data, const std::filesystem::path& path,
                        const OpenOptions& options);

/// A safetensors file or index: the config.json beside it describes the model. Without one the graph has
/// weights and no nodes.
Result<Graph> open_safetensors(const DataFolder& data, const std::filesystem::path& path,
                               const OpenOptions& options);

/// Adds the weights that lie beside a model's config.json. Files that cannot be read become a note: the model
/// does not need them.
Graph with_weights_beside(Graph graph, const std::filesystem::path& config);

}  // namespace roofcast
