// Convolutions over one to three spatial axes, transposed ones, and their gradients.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"
#include "engine/ops/window.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule conv_attributes[] = {
    {"out_channels", AttributeKind::size, true, "channels of the result"},
    {"kernel", AttributeKind::sizes, true, "window size, one for all axes or one each"},
    {"stride", AttributeKind::sizes, false, "default 1"},
    {"padding", AttributeKind::sizes, false, "on both sides, default 0"},
    {"padding_end", AttributeKind::sizes, false, "behind the last element, if unlike 'padding'"},
    {"dilation", AttributeKind::sizes, false, "default 1"},
    {"groups", AttributeKind::size, false, "channel groups, default 1; the input's channels for depthwise"},
    {"bias", AttributeKind::flag, false, "adds a learned value per channel (default true)"}};

constexpr AttributeRule conv_transpose_attributes[] = {
    {"out_channels", AttributeKind::size, true, "channels of the result"},
    {"kernel", AttributeKind::sizes, true, "window size, one for all axes or one each"},
    {"stride", AttributeKind::sizes, false, "default 1"},
    {"padding", AttributeKind::sizes, false, "default 0"},
    {"padding_end", AttributeKind::sizes, false, "behind the last element, if unlike 'padding'"},
    {"output_padding", AttributeKind::sizes, false, "default 0"},
    {"dilation", AttributeKind::sizes, false, "default 1"},
    {"groups", AttributeKind::size, false, "default 1"},
    {"bias", AttributeKind::flag, false, "adds a learned value per channel (default true)"}};

Expr groups_of(const NodeView& node) {
  return node.attributes.size("groups", Expr{1});
}

void require_divides(Inference& inference, const NodeView& node, const Expr& channels, const Expr& groups) {
  require_equal(inference, node, modulo(channels, groups), Expr{0}, "channels are no multiple of 'groups'");
}

Shape with_channels(const Expr& batch, const Expr& channels, const Shape& spatial) {
  Shape shape{batch, channels};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  return shape;
}

// y[n, o, p] = sum over c, k of x[n, c, s p + d k - padding] * W[o, c, k] + b[o]
Result<Inference> infer_conv(const NodeView& node) {
  const auto window = read_window(node);
  if (!window) return tl::unexpected(window.error());
  const Shape& input = node.inputs[0].shape;
  const Expr out = node.attributes.size("out_channels");
  const Expr groups = groups_of(node);
  Inference inference;
  require_divides(inference, node, input[1], groups);
  require_divides(inference, node, out, groups);
  inference.outputs = {{.type = {.shape = with_channels(input[0], out, window_output(*window))}}};
  inference.parameters = {
      {"weight", {.shape = with_channels(out, floor_divide(input[1], groups), window->kernel)}}};
  if (node.attributes.flag("bias", true)) inference.parameters.push_back({"bias", {.shape = {out}}});
  return inference;
}

Result<Inference> infer_conv_transpose(const NodeView& node) {
  const auto window = read_window(node);
  if (!window) return tl::unexpected(window.error());
  const Shape& input = node.inputs[0].shape;
  const Expr out = node.attributes.size("out_channels");
  const Expr groups = groups_of(node);
  Shape extra = node.attributes.sizes("output_padding", {Expr{0}});
  if (extra.size() == 1) extra.resize(window->input.size(), extra.front());
  if (extra.size() != window->input.size()) return reject(node, "'output_padding' needs one size an axis");
  Inference inference;
  require_divides(inference, node, input[1], groups);
  require_divides(inference, node, out, groups);
  inference.outputs = {
      {.type = {.shape = with_channels(input[0], out, transposed_window_output(*window, extra))}}};
  inference.parameters = {
      {"weight", {.shape = with_channels(input[1], floor_divide(out, groups), window->kernel)}}};
  if (node.attributes.flag("bias", true)) inference.parameters.push_back({"bias", {.shape = {out}}});
  return inference;
}

// The kernel of any pass, from the shapes of the forward convolution. Each output position multiplies
// C_in / groups * kernel values for each output channel, and both gradients pair the same values.
KernelSpec conv_kernel(const NodeView& node, std::string_view name, Pass pass, const Shape& input,
                       const Shape& output) {
  const Shape kernel = [&] {
    Shape sizes = node.attributes.sizes("kernel");
    if (sizes.size() == 1) sizes.resize(input.size() - 2, sizes.front());
    return sizes;
  }();
  Shape stride = node.attributes.sizes("stride", {Expr{1}});
  if (stride.size() == 1) stride.resize(input.size() - 2, stride.front());
  const Expr groups = groups_of(node);
  const Convolution<Expr> form{.pass = pass,
                               .batch = input[0],
                               .in_channels = input[1],
                               .out_channels = output[1],
                               .groups = groups,
                               .input = three_axes(Shape(input.begin() + 2, input.end())),
                               .output = three_axes(Shape(output.begin() + 2, output.end())),
                               .kernel = three_axes(kernel),
                               .stride = three_axes(stride)};
  return {.name = name,
          .form = form,
          .macs = elements(output) * floor_divide(input[1], groups) * elements(kernel),
          .reads = everything_read(node),
          .writes = whole({Operand::output()})};
}

std::vector<KernelSpec> kernels_conv(const NodeView& node) {
  KernelSpec kernel =
      conv_kernel(node, "convolution", Pass::forward, node.inputs[0].shape, node.outputs[0].shape);
  if (node.parameters.size() > 1) kernel.operations = elements(node.outputs[0].shape);
  return {kernel};
}

// A transposed convolution is the input gradient of the convolution from its output to its input.
std::vector<KernelSpec> kernels_conv_transpose(const NodeView& node) {
  KernelSpec kernel = conv_kernel(node, "convolution (transposed)", Pass::input_gradient,
                                  node.outputs[0].shape, node.inputs[0].shape);
  if (node.parameters.size() > 1) kernel.operations = elements(node.outputs[0].shape);
  return {kernel};
}

Attributes with_shape(Attributes attributes, const Shape& shape) {
  attributes.set("shape", shape);
  return attributes;
}

void add_bias_gradient(std::vector<GradientStep>& steps, const NodeView& node) {
  if (node.parameters.size() < 2) return;
  steps.push_back(
      {.op = "sum_channels", .operands = {Operand::gradient()}, .targets = {Operand::parameter(1)}});
}

std::vector<GradientStep> gradient_conv(const NodeView& node) {
  std::vector<GradientStep> steps;
  steps.push_back({.op = "conv_input_gradient",
                   .attributes = with_shape(node.attributes, node.inputs[0].shape),
                   .operands = {Operand::gradient(), Operand::parameter(0)},
                   .targets = {Operand::input(0)}});
  steps.push_back({.op = "conv_weight_gradient",
                   .attributes = with_shape(node.attributes, node.parameters[0].shape),
                   .operands = {Operand::gradient(), Operand::input(0)},
                   .targets = {Operand::parameter(0)}});
  add_bias_gradient(steps, node);
  return steps;
}

std::vector<GradientStep> gradient_conv_transpose(const NodeView& node) {
  std::vector<GradientStep> steps;
  steps.push_back({.op = "conv_transpose_input_gradient",
                   .attributes = with_shape(node.attributes, node.inputs[0].shape),
                   .operands = {Operand::gradient(), Operand::parameter(0)},
                   .targets = {Operand::input(0)}});
  steps.push_back({.op = "conv_transpose_weight_gradient",
                   .attributes = with_shape(node.attributes, node.parameters[0].shape),
                   .operands = {Operand::gradient(), Operand::input(0)},
                   .targets = {Operand::parameter(0)}});
  add_bias_gradient(steps, node);
  return steps;
}

std::vector<KernelSpec> kernels_conv_input_gradient(const NodeView& node) {
  return {conv_kernel(node, "convolution (input gradient)", Pass::input_gradient, node.outputs[0].shape,
                      node.inputs[0].shape)};
}

std::vector<KernelSpec> kernels_conv_weight_gradient(const NodeView& node) {
  return {conv_kernel(node, "convolution (weight gradient)", Pass::weight_gradient, node.inputs[1].shape,
                      node.inputs[0].shape)};
}

// For y = conv_transpose(x), the mirror convolution takes dy (large) to dx (small).
std::vector<KernelSpec> kernels_conv_transpose_input_gradient(const NodeView& node) {
  return {conv_kernel(node, "convolution", Pass::forward, node.inputs[0].shape, node.outputs[0].shape)};
}

std::vector<KernelSpec> kernels_conv_transpose_weight_gradient(const NodeView& node) {
  return {conv_kernel(node, "convolution (weight gradient)", Pass::weight_gradient, node.inputs[0].shape,
                      node.inputs[1].shape)};
}

constexpr Operator internal(std::string_view name, std::vector<KernelSpec> (*kernels)(const NodeView&)) {
  return {.name = name,
          .least_inputs = 2,
          .most_inputs = 2,
          .cast = CastRule::low,
          .in_model_files = false,
          .infer = like_shape_attribute,
          .kernels = kernels};
}

}  // namespace

OperatorRows convolution_operators() {
  static const Operator rows[] = {
      {.name = "conv",
       .summary = "convolution of [batch, channels, spatial...], one to three axes, grouped or not",
       .cast = CastRule::low,
       .layer = true,
       .attributes = conv_attributes,
       .infer = infer_conv,
       .gradient = gradient_conv,
       .kernels = kernels_conv},
      {.name = "conv_transpose",
       .summary = "transposed convolution",
       .cast = CastRule::low,
       .layer = true,
       .attributes = conv_transpose_attributes,
       .infer = infer_conv_transpose,
       .gradient = gradient_conv_transpose,
       .kernels = kernels_conv_transpose},
      internal("conv_input_gradient", kernels_conv_input_gradient),
      internal("conv_weight_gradient", kernels_conv_weight_gradient),
      internal("conv_transpose_input_gradient", kernels_conv_transpose_input_gradient),
      internal("conv_transpose_weight_gradient", kernels_conv_transpose_weight_gradient),
  };
  return rows;
}

}  // namespace roofcast
