// Interpolation to another spatial size.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule resize_attributes[] = {
    {"scale", AttributeKind::sizes, false, "factor per spatial axis, one for all or one each"},
    {"size", AttributeKind::sizes, false, "spatial sizes of the result, instead of 'scale'"},
    {"mode", AttributeKind::word, false, "nearest (default), bilinear or bicubic"}};

Result<Inference> infer_resize(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 3, "[batch, channels, spatial...]"); !ok)
    return tl::unexpected(ok.error());
  if (node.attributes.has("scale") == node.attributes.has("size")) {
    return reject(node, "give one of 'scale' and 'size'");
  }
  const std::string mode = node.attributes.word("mode", "nearest");
  if (mode != "nearest" && mode != "bilinear" && mode != "bicubic") {
    return reject(node, fmt::format("unknown mode '{}'", mode), "modes are nearest, bilinear and bicubic");
  }
  Shape shape = node.inputs[0].shape;
  const bool scaled = node.attributes.has("scale");
  const Shape sizes = node.attributes.sizes(scaled ? "scale" : "size");
  if (sizes.size() != 1 && sizes.size() != shape.size() - 2)
    return reject(node, "give one size, or one an axis");
  for (std::size_t axis = 2; axis < shape.size(); ++axis) {
    const Expr& size = sizes.size() == 1 ? sizes[0] : sizes[axis - 2];
    shape[axis] = scaled ? shape[axis] * size : size;
  }
  return Inference{.outputs = {{.type = {.shape = shape}}}};
}

std::int64_t taps(const NodeView& node) {
  const std::string mode = node.attributes.word("mode", "nearest");
  return mode == "bicubic" ? 16 : mode == "bilinear" ? 4 : 1;
}

std::vector<KernelSpec> kernels_resize(const NodeView& node) {
  return {stream("interpolate", StreamKind::pooling, elements(node.outputs[0].shape), 2 * taps(node),
                 everything_read(node), whole({Operand::output()}))};
}

std::vector<GradientStep> gradient_resize(const NodeView& node) {
  Attributes attributes = shape_attribute(node.inputs[0].shape);
  attributes.set("mode", node.attributes.word("mode", "nearest"));
  return {{.op = "resize_backward",
           .attributes = attributes,
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_resize_backward(const NodeView& node) {
  return {stream("interpolate backward", StreamKind::pooling, elements(node.inputs[0].shape), 2 * taps(node),
                 everything_read(node), whole({Operand::output()}))};
}

}  // namespace

OperatorRows resize_operators() {
  static const Operator rows[] = {
      {.name = "resize",
       .summary = "interpolates to another spatial size",
       .attributes = resize_attributes,
       .infer = infer_resize,
       .gradient = gradient_resize,
       .kernels = kernels_resize},
      {.name = "resize_backward",
       .in_model_files = false,
       .infer = like_shape_attribute,
       .kernels = kernels_resize_backward},
  };
  return rows;
}

}  // namespace roofcast
