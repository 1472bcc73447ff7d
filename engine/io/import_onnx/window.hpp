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

}  // namespace roofcast::onnx
