#pragma once
// Layer normalisation for the importers that come across it.

#include "engine/io/import_onnx/importer.hpp"

namespace roofcast::onnx {

/// Normalises the last dimension with `op` (layer_norm or rms_norm). Stored scales and offsets become its
/// parameters; computed ones an operator of their own.
Result<OnnxValue> layer_norm(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                             const std::optional<OnnxValue>& scale, const std::optional<OnnxValue>& bias,
                             std::string_view op = "layer_norm");

}  // namespace roofcast::onnx
