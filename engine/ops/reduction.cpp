// Sums and means over dimensions, and the sums that gradients of stretched operands need.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule reduce_attributes[] = {
    {"axis", AttributeKind::size, false, "the dimension that goes, default -1"},
    {"keep", AttributeKind::flag, false, "leaves it with size 1 (default false)"}};

constexpr AttributeRule reduce_to_attributes[] = {
    {"shape", AttributeKind::sizes, true, "the shape of the result"},
    {"dtype", AttributeKind::word, false, "element type of the result, if it is not real-valued"},
    {"function", AttributeKind::word, false, "what it computes, for the reader"},
    {"operations", AttributeKind::size, false, "per element of the input, default 1"}};

Result<Inference> infer_reduce(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 1, "at least one dimension"); !ok) return tl::unexpected(ok.error());
  Shape shape = node.inputs[0].shape;
  const auto along = axis(node, "axis", -1, shape.size());
  if (!along) return tl::unexpected(along.error());
  if (node.attributes.flag("keep")) {
    shape[*along] = Expr{1};
  } else {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*along));
  }
  return Inference{.outputs = {{.type = {.shape = shape}}}};
}

std::vector<KernelSpec> kernels_reduce(const NodeView& node) {
  return {stream("reduce", StreamKind::reduction, elements(node.inputs[0].shape), 1, everything_read(node),
                 whole({Operand::output()}))};
}

std::vector<KernelSpec> kernels_reduce_to(const NodeView& node) {
  KernelSpec kernel = kernels_reduce(node).front();
  kernel.operations = elements(node.inputs[0].shape) * node.attributes.size("operations", Expr{1});
  return {kernel};
}

// A running sum reads and writes everything in one pass and a small second one for the ends of the parts.
std::vector<KernelSpec> kernels_cumulative(const NodeView& node) {
  return {stream("cumulative sum", StreamKind::reduction, elements(node.outputs[0].shape), 2,
                 everything_read(node), whole({Operand::output()}))};
}

std::vector<GradientStep> gradient_cumulative(const NodeView& node) {
  return {{.op = "cumulative",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_sum_to(const NodeView& node) {
  if (elements(node.inputs[0].shape) == elements(node.outputs[0].shape)) return {};
  return kernels_reduce(node);
}

Result<Inference> infer_sum_to(const NodeView& node) {
  auto inference = like_shape_attribute(node);
  // Only a dimension of size 1 more or less: the same elements.
  const bool view = elements(node.inputs[0].shape) == elements(inference->outputs[0].type.shape);
  if (view) inference->outputs[0].alias = Operand::input(0);
  return inference;
}

Result<Inference> infer_sum_channels(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = {node.inputs[0].shape[1]}}}}};
}

std::vector<GradientStep> gradient_reduce(const NodeView& node) {
  return {{.op = "spread",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_spread(const NodeView& node) {
  return {stream("spread", StreamKind::elementwise, elements(node.outputs[0].shape), 1, everything_read(node),
                 whole({Operand::output()}))};
}

}  // namespace

OperatorRows reduction_operators() {
  static const Operator rows[] = {
      {.name = "sum",
       .summary = "sum over a dimension",
       .cast = CastRule::fp32,
       .attributes = reduce_attributes,
       .infer = infer_reduce,
       .gradient = gradient_reduce,
       .kernels = kernels_reduce},
      {.name = "mean",
       .summary = "mean over a dimension",
       .attributes = reduce_attributes,
       .infer = infer_reduce,
       .gradient = gradient_reduce,
       .kernels = kernels_reduce},
      {.name = "reduce",
       .summary = "any other reduction to a shape, such as a maximum over several dimensions",
       .attributes = reduce_to_attributes,
       .infer = like_shape_attribute,
       .gradient = gradient_reduce,
       .kernels = kernels_reduce_to},
      {.name = "cumulative",
       .summary = "running sums along a dimension",
       .attributes = reduce_to_attributes,
       .infer = like_shape_attribute,
       .gradient = gradient_cumulative,
       .kernels = kernels_cumulative},
      {.name = "sum_to", .in_model_files = false, .infer = infer_sum_to, .kernels = kernels_sum_to},
      {.name = "sum_channels",
       .in_model_files = false,
       .infer = infer_sum_channels,
       .kernels = kernels_reduce},
      {.name = "spread", .in_model_files = false, .infer = like_shape_attribute, .kernels = kernels_spread},
  };
  return rows;
}

}  // namespace roofcast
