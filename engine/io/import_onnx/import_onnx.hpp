#pragma once
// ONNX file -> Graph.

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/graph/graph.hpp"
#include "engine/io/open_model.hpp"

namespace roofcast {

/// Reads the graph of an ONNX file: opset 7 and later, weights inside, beside it or absent. Sizes of inputs
/// that the file leaves open become symbols. Errors: a damaged file, an operator that is not known, a shape
/// that is computed from data.
Result<Graph> import_onnx(const std::filesystem::path& path, const OpenOptions& options = {});

/// The same from bytes in memory. `file` is for messages.
Result<Graph> import_onnx_bytes(std::string_view bytes, const std::string& file,
                                const OpenOptions& options = {});

}  // namespace roofcast
