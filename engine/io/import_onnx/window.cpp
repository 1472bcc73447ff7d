#include "engine/io/import_onnx/window.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofcast::onnx {

Attributes SlidingWindow::attributes() const {
  Attributes result;
  result.set("kernel", kernel);
  result.set("stride", stride);
  result.set("padding", begin);
  if (begin != end) result.set("padding_end", end);
  const bool dilated = std::ranges::any_of(dilation, [](const Expr& size) { return !size.is(1); });
  if (dilated) result.set("dilation", dilation);
  return result;
}

Result<SlidingWindow> read_window(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                                  Shape kernel, bool transposed) {
  const std::size_t axes = input.rank() - 2;
  constexpr std::int64_t largest = 1LL << 32;
  const auto sizes = [&](std::string_view name, std::int64_t fallback) -> Result<Shape> {
    Shape result(axes, Expr{fallback});
    const auto given = node.integers(name);
    if (!given || given->empty()) return result;
    if (given->size() != axes) {
      return importer.refuse(node, fmt::format("'{}' has {} sizes for {} axes", name, given->size(), axes));
    }
    for (std::size_t i = 0; i < axes; ++i) {
      if ((*given)[i] < 1 || (*given)[i] > largest)
        return importer.refuse(node, fmt::format("'{}' has a size of {}", name, (*given)[i]));
      result[i] = Expr{(*given)[i]};
    }
    return result;
  };
  SlidingWindow window{.kernel = std::move(kernel)};
  if (node.has_attribute("kernel_shape")) {
    auto given = sizes("kernel_shape", 1);
    if (!given) return tl::unexpected(given.error());
    window.kernel = *std::move(given);
  }
  if (window.kernel.size() != axes) return importer.refuse(node, "has a window of another number of axes");
  auto stride = sizes("strides", 1);
  auto dilation = sizes("dilations", 1);
  if (!stride) return tl::unexpected(stride.error());
  if (!dilation) return tl::unexpected(dilation.error());
  window.stride = *std::move(stride);
  window.dilation = *std::move(dilation);
  window.round_up = node.integer("ceil_mode") != 0;
  window.begin = window.end = Shape(axes, Expr{0});
  const std::string automatic = node.text("auto_pad", "NOTSET");
  if (automatic.starts_with("SAME") && !transposed) {
    // As many windows as the stride makes of the input; what is odd goes behind (UPPER) or before.
    for (std::size_t i = 0; i < axes; ++i) {
      const Expr& size = input.shape[2 + i];
      const Expr windows = ceil_divide(size, window.stride[i]);
      const Expr total = (windows - Expr{1}) * window.stride[i] +
                         window.dilation[i] * (window.kernel[i] - Expr{1}) + Expr{1} - size;
      const Expr needed =
          total.is_constant() ? Expr{std::max<std::int64_t>(total.constant(), 0)} : maximum(total, Expr{0});
      const Expr half = floor_divide(needed, Expr{2});
      window.begin[i] = automatic == "SAME_LOWER" ? needed - half : half;
      window.end[i] = needed - window.begin[i];
    }
  } else if (const auto pads = node.integers("pads"); pads && !pads->empty() && automatic != "VALID") {
    if (pads->size() != 2 * axes) {
      return importer.refuse(node, fmt::format("has {} paddings for {} axes", pads->size(), axes));
    }
    for (std::size_t i = 0; i < axes; ++i) {
      window.begin[i] = Expr{(*pads)[i]};
      window.end[i] = Expr{(*pads)[axes + i]};
    }
  }
  return window;
}

}  // namespace roofcast::onnx
