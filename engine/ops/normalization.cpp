// Normalisation over the last dimension, over channels of a batch, or over groups of channels.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule last_dimension_attributes[] = {
    {"weight", AttributeKind::flag, false, "learns a scale (default true); without one there is no offset"},
    {"bias", AttributeKind::flag, false, "learns an offset besides the scale (default true)"}};
constexpr AttributeRule scale_attributes[] = {
    {"weight", AttributeKind::flag, false, "learns a scale (default true)"}};
constexpr AttributeRule group_attributes[] = {
    {"groups", AttributeKind::size, true, "groups of channels that are normalised together"},
    {"weight", AttributeKind::flag, false, "learns a scale and an offset (default true)"}};

// Subtract, multiply, scale, offset and the two running sums, per element.
constexpr std::int64_t norm_operations = 8;

TensorType statistics(Shape shape) {
  return {.shape = std::move(shape), .dtype = DType::fp32};
}

// y = (x - mean) / sqrt(var + eps) * weight + bias over the last dimension. Outputs y and what the backward
// pass needs: mean and reciprocal deviation per row.
Result<Inference> infer_layer_norm(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 1, "[..., features]"); !ok) return tl::unexpected(ok.error());
  const Shape& shape = node.inputs[0].shape;
  const Shape rows(shape.begin(), shape.end() - 1);
  Inference inference{
      .outputs = {{.type = {.shape = shape}}, {.type = statistics(rows)}, {.type = statistics(rows)}}};
  if (!node.attributes.flag("weight", true)) return inference;
  inference.parameters = {{"weight", {.shape = {shape.back()}}}};
  if (node.attributes.flag("bias", true)) inference.parameters.push_back({"bias", {.shape = {shape.back()}}});
  return inference;
}

// y = x / sqrt(mean(x^2) + eps) * weight
Result<Inference> infer_rms_norm(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 1, "[..., features]"); !ok) return tl::unexpected(ok.error());
  const Shape& shape = node.inputs[0].shape;
  Inference inference{
      .outputs = {{.type = {.shape = shape}}, {.type = statistics(Shape(shape.begin(), shape.end() - 1))}}};
  if (node.attributes.flag("weight", true)) inference.parameters = {{"weight", {.shape = {shape.back()}}}};
  return inference;
}

// Per channel over batch and space. In inference the running statistics are used and nothing is kept.
Result<Inference> infer_batch_norm(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 2, "[batch, channels, ...]"); !ok) return tl::unexpected(ok.error());
  const Shape& shape = node.inputs[0].shape;
  const Shape channels{shape[1]};
  Inference inference{.outputs = {{.type = {.shape = shape}}},
                      .parameters = {{"weight", {.shape = channels}},
                                     {"bias", {.shape = channels}},
                                     {"running_mean", statistics(channels), ParameterKind::statistic},
                                     {"running_var", statistics(channels), ParameterKind::statistic}}};
  if (node.training) {
    inference.outputs.push_back({.type = statistics(channels)});
    inference.outputs.push_back({.type = statistics(channels)});
  }
  return inference;
}

Result<Inference> infer_group_norm(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 2, "[batch, channels, ...]"); !ok) return tl::unexpected(ok.error());
  const Shape& shape = node.inputs[0].shape;
  const Expr groups = node.attributes.size("groups");
  Inference inference{.outputs = {{.type = {.shape = shape}},
                                  {.type = statistics({shape[0], groups})},
                                  {.type = statistics({shape[0], groups})}}};
  if (node.attributes.flag("weight", true)) {
    inference.parameters = {{"weight", {.shape = {shape[1]}}}, {"bias", {.shape = {shape[1]}}}};
  }
  require_equal(inference, node, modulo(shape[1], groups), Expr{0}, "channels are no multiple of 'groups'");
  return inference;
}

std::vector<Access> outputs_of(const NodeView& node) {
  std::vector<Access> writes;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    writes.push_back({Operand::output(static_cast<int>(i)), {}});
  return writes;
}

// One pass: a row stays on chip between its statistics and its result.
// `row`: how many values share their statistics.
KernelSpec row_norm(const NodeView& node, StreamKind kind, const Expr& row) {
  KernelSpec kernel = stream("normalize", kind, elements(node.inputs[0].shape), norm_operations,
                             everything_read(node), outputs_of(node));
  std::get<Stream<Expr>>(kernel.form).row = row;
  return kernel;
}

std::vector<KernelSpec> kernels_layer_norm(const NodeView& node) {
  return {row_norm(node, StreamKind::normalization, node.inputs[0].shape.back())};
}

std::vector<KernelSpec> kernels_rms_norm(const NodeView& node) {
  return {row_norm(node, StreamKind::rms_normalization, node.inputs[0].shape.back())};
}

std::vector<KernelSpec> kernels_group_norm(const NodeView& node) {
  Expr row = floor_divide(node.inputs[0].shape[1], node.attributes.size("groups"));
  for (std::size_t axis = 2; axis < node.inputs[0].shape.size(); ++axis) row *= node.inputs[0].shape[axis];
  return {row_norm(node, StreamKind::normalization, row)};
}

// A channel does not fit on chip: training reads the input once for the statistics and once more to apply
// them.
std::vector<KernelSpec> kernels_batch_norm(const NodeView& node) {
  const Expr count = elements(node.inputs[0].shape);
  if (!node.training) {
    return {stream("batch norm", StreamKind::batch_normalization, count, 2, everything_read(node),
                   outputs_of(node))};
  }
  std::vector<Access> reads = everything_read(node);
  reads.push_back({Operand::input(0), {}});
  return {stream("batch norm (training)", StreamKind::batch_normalization, count, norm_operations, reads,
                 outputs_of(node))};
}

std::vector<GradientStep> gradient_row_norm(const NodeView& node) {
  if (node.parameters.empty()) {
    GradientStep plain{.op = "norm_input_backward",
                       .operands = {Operand::gradient(), Operand::input(0)},
                       .targets = {Operand::input(0)}};
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      plain.operands.push_back(Operand::output(static_cast<int>(i)));
    return {plain};
  }
  GradientStep step{.op = "norm_backward",
                    .operands = {Operand::gradient(), Operand::input(0), Operand::parameter(0)},
                    .targets = {Operand::input(0), Operand::parameter(0)}};
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    step.operands.push_back(Operand::output(static_cast<int>(i)));
  if (node.parameters.size() > 1) {
    step.targets.emplace_back(Operand::parameter(1));
    step.attributes.set("bias", true);
  }
  return {step};
}

// Without weights there are no sums to make.
std::vector<KernelSpec> kernels_norm_input_backward(const NodeView& node) {
  return {stream("norm backward (input)", StreamKind::normalization, elements(node.inputs[1].shape),
                 norm_operations, everything_read(node), whole({Operand::output(0)}))};
}

std::vector<GradientStep> gradient_batch_norm(const NodeView& /*node*/) {
  Attributes attributes;
  attributes.set("bias", true);
  attributes.set("over_batch", true);
  return {{.op = "norm_backward",
           .attributes = attributes,
           .operands = {Operand::gradient(), Operand::input(0), Operand::parameter(0), Operand::output(1),
                        Operand::output(2)},
           .targets = {Operand::input(0), Operand::parameter(0), Operand::parameter(1)}}};
}

Result<Inference> infer_norm_backward(const NodeView& node) {
  Inference inference{
      .outputs = {{.type = {.shape = node.inputs[1].shape}}, {.type = {.shape = node.inputs[2].shape}}}};
  if (node.attributes.flag("bias")) inference.outputs.push_back({.type = {.shape = node.inputs[2].shape}});
  return inference;
}

// dx needs dy and x; the sums for weight and bias read both once more. Over a batch, dx itself needs the sums
// first.
std::vector<KernelSpec> kernels_norm_backward(const NodeView& node) {
  const Expr count = elements(node.inputs[1].shape);
  const std::vector<Access> parameter_gradients = [&] {
    std::vector<Access> writes;
    for (std::size_t i = 1; i < node.outputs.size(); ++i) {
      writes.push_back({Operand::output(static_cast<int>(i)), {}});
    }
    return writes;
  }();
  const StreamKind kind =
      node.attributes.flag("over_batch") ? StreamKind::batch_normalization : StreamKind::normalization;
  return {stream("norm backward (parameters)", kind, count, 4, whole({Operand::input(0), Operand::input(1)}),
                 parameter_gradients),
          stream("norm backward (input)", kind, count, norm_operations, everything_read(node),
                 whole({Operand::output(0)}))};
}

}  // namespace

OperatorRows normalization_operators() {
  static const Operator rows[] = {
      {.name = "layer_norm",
       .summary = "normalises the last dimension to mean 0 and deviation 1, then scales",
       .cast = CastRule::fp32,
       .attributes = last_dimension_attributes,
       .infer = infer_layer_norm,
       .gradient = gradient_row_norm,
       .kernels = kernels_layer_norm},
      {.name = "rms_norm",
       .summary = "divides the last dimension by its root mean square, then scales",
       .cast = CastRule::fp32,
       .attributes = scale_attributes,
       .infer = infer_rms_norm,
       .gradient = gradient_row_norm,
       .kernels = kernels_rms_norm},
      {.name = "batch_norm",
       .summary = "normalises each channel over the batch; with running statistics in inference",
       .infer = infer_batch_norm,
       .gradient = gradient_batch_norm,
       .kernels = kernels_batch_norm},
      {.name = "group_norm",
       .summary = "normalises groups of channels of each sample",
       .cast = CastRule::fp32,
       .attributes = group_attributes,
       .infer = infer_group_norm,
       .gradient = gradient_row_norm,
       .kernels = kernels_group_norm},
      {.name = "norm_backward",
       .least_inputs = 4,
       .most_inputs = 5,
       .in_model_files = false,
       .infer = infer_norm_backward,
       .kernels = kernels_norm_backward},
      {.name = "norm_input_backward",
       .least_inputs = 3,
       .most_inputs = 4,
       .in_model_files = false,
       .infer = like_first_input,
       .kernels = kernels_norm_input_backward},
  };
  return rows;
}

}  // namespace roofcast
