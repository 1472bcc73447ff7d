#pragma once
// Layers that importers of several families need.

#include "engine/io/import_onnx/importer.hpp"

namespace roofcast::onnx {

/// The convolution of a value with a (stored) weight; window and groups are the node's attributes.
Result<OnnxValue> convolution(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                              const OnnxValue& weight, const std::optional<OnnxValue>& bias);

/// x W + b over the last dimension with W as [in, out], or [out, in] if `transposed`. A stored matrix (and
/// bias) makes it one layer.
Result<OnnxValue> linear_layer(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                               const OnnxValue& weight, const std::optional<OnnxValue>& bias = {},
                               bool transposed = false);

/// a b over the last two dimensions, the leading ones stretched. With a stored matrix as b it is a linear
/// layer.
Result<OnnxValue> matrix_product(Importer& importer, const OnnxNode& node, OnnxValue a, OnnxValue b,
                                 bool transpose_a = false, bool transpose_b = false);

}  // namespace roofcast::onnx
