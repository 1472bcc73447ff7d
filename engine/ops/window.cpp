#include "engine/ops/window.hpp"

#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

Result<Shape> per_axis(const NodeView& node, std::string_view name, std::size_t axes, const Expr& fallback) {
  Shape sizes = node.attributes.sizes(name, {fallback});
  if (sizes.size() == 1) sizes.resize(axes, sizes.front());
  if (sizes.size() != axes) {
    return rules::reject(node,
                         fmt::format("'{}' has {} sizes for {} spatial axes", name, sizes.size(), axes));
  }
  return sizes;
}

}  // namespace

Result<Window> read_window(const NodeView& node, bool stride_like_kernel) {
  const Shape& shape = node.inputs[0].shape;
  if (shape.size() < 3 || shape.size() > 5) {
    return rules::reject(
        node, fmt::format("input must be [batch, channels, 1 to 3 spatial axes], not {}", to_string(shape)));
  }
  Window window{.input = Shape(shape.begin() + 2, shape.end())};
  const std::size_t axes = window.input.size();
  const Result<Shape> kernel = per_axis(node, "kernel", axes, Expr{1});
  if (!kernel) return tl::unexpected(kernel.error());
  const Result<Shape> stride = per_axis(node, "stride", axes, Expr{1});
  const Result<Shape> padding = per_axis(node, "padding", axes, Expr{0});
  const Result<Shape> padding_end =
      node.attributes.has("padding_end") ? per_axis(node, "padding_end", axes, Expr{0}) : padding;
  const Result<Shape> dilation = per_axis(node, "dilation", axes, Expr{1});
  for (const auto* sizes : {&stride, &padding, &padding_end, &dilation}) {
    if (!*sizes) return tl::unexpected(sizes->error());
  }
  for (const auto* sizes : {&kernel, &stride, &dilation}) {
    for (const Expr& size : **sizes) {
      if (size.is_constant() && size.constant() < 1) {
        return rules::reject(node, "'kernel', 'stride' and 'dilation' must be at least 1");
      }
    }
  }
  for (const auto* sizes : {&padding, &padding_end}) {
    for (const Expr& size : **sizes) {
      if (size.is_constant() && size.constant() < 0)
        return rules::reject(node, "'padding' must not be negative");
    }
  }
  window.kernel = *kernel;
  window.stride = stride_like_kernel && !node.attributes.has("stride") ? *kernel : *stride;
  window.padding = *padding;
  window.padding_end = *padding_end;
  window.dilation = *dilation;
  return window;
}

Shape window_output(const Window& window, bool round_up) {
  Shape output;
  for (std::size_t i = 0; i < window.input.size(); ++i) {
    const Expr span = window.input[i] + window.padding[i] + window.padding_end[i] -
                      window.dilation[i] * (window.kernel[i] - Expr{1}) - Expr{1};
    if (round_up) {
      const Expr starts_inside = ceil_divide(window.input[i] + window.padding[i], window.stride[i]);
      output.push_back(minimum(ceil_divide(span, window.stride[i]) + Expr{1}, starts_inside));
    } else {
      output.push_back(floor_divide(span, window.stride[i]) + Expr{1});
    }
  }
  return output;
}

Shape transposed_window_output(const Window& window, const Shape& output_padding) {
  Shape output;
  for (std::size_t i = 0; i < window.input.size(); ++i) {
    output.push_back((window.input[i] - Expr{1}) * window.stride[i] - window.padding[i] -
                     window.padding_end[i] + window.dilation[i] * (window.kernel[i] - Expr{1}) +
                     output_padding[i] + Expr{1});
  }
  return output;
}

std::array<Expr, 3> three_axes(const Shape& axes) {
  std::array<Expr, 3> three{Expr{1}, Expr{1}, Expr{1}};
  for (std::size_t i = 0; i < axes.size() && i < 3; ++i) three[3 - axes.size() + i] = axes[i];
  return three;
}

}  // namespace roofcast
