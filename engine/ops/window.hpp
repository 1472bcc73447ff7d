#pragma once
// Sliding windows over spatial axes, as convolutions and pooling have them.

#include "engine/ops/operator.hpp"

namespace roofcast {

/// Kernel, stride, padding and dilation for each spatial axis of a [batch, channels, spatial...] input.
struct Window {
  Shape input{};  ///< spatial sizes
  Shape kernel{};
  Shape stride{};
  Shape padding{};      ///< before the first element
  Shape padding_end{};  ///< behind the last one
  Shape dilation{};
};

/// Reads the attributes of a node with `axes` spatial axes; single sizes serve all axes. The stride is 1
/// unless `stride_like_kernel`.
Result<Window> read_window(const NodeView& node, bool stride_like_kernel = false);

/// floor((in + padding + padding_end - dilation (kernel - 1) - 1) / stride) + 1, per axis; `round_up` rounds
/// the quotient up, but drops a window that would start beyond the input and its left padding, as PyTorch's
/// ceil_mode does.
Shape window_output(const Window& window, bool round_up = false);

/// (in - 1) stride - padding - padding_end + dilation (kernel - 1) + output_padding + 1, per axis.
Shape transposed_window_output(const Window& window, const Shape& output_padding);

/// Three axes for a kernel form, leading ones 1.
std::array<Expr, 3> three_axes(const Shape& axes);

}  // namespace roofcast
