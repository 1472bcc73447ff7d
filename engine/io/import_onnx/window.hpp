#pragma once
// The windows of convolutions and pooling as ONNX writes them.

#include "engine/io/import_onnx/importer.hpp"

namespace roofcast::onnx {

struct SlidingWindow {
  Shape kernel{};
  Shape stride{};
  Shape dilation{};
  Shape begin{};  ///< padding before
  Shape end{};    ///< and behind
  bool round_up = false;

  /// As our operators take them.
  Attributes attributes() const;
};

/// Reads strides, pads, dilations and auto_pad of a node over `input` [batch, channels, spatial...]. `kernel`
/// is that of the weight; an attribute `kernel_shape` goes before it.
Result<SlidingWindow> read_window(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                                  Shape kernel, bool transposed = false);

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
