// Elementwise sums and products of two operands that may stretch over each other.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule binary_attributes[] = {
    {"inplace", AttributeKind::flag, false, "the result takes the first input's storage (default false)"}};
constexpr AttributeRule scale_attributes[] = {
    {"factor", AttributeKind::number, false, "the constant; its value does not matter here"},
    {"offset", AttributeKind::number, false, "what is added; its value does not matter here"},
    {"inplace", AttributeKind::flag, false, "the result takes the input's storage (default false)"}};

constexpr AttributeRule pointwise_attributes[] = {
    {"shape", AttributeKind::sizes, true, "the shape of the result; operands stretch to it"},
    {"dtype", AttributeKind::word, false, "element type of the result, if it is not real-valued"},
    {"function", AttributeKind::word, false, "what it computes, for the reader"},
    {"operations", AttributeKind::size, false, "per element, default 1"}};

Result<Inference> infer_binary(const NodeView& node) {
  Inference inference;
  auto shape = broadcast(inference, node, node.inputs[0].shape, node.inputs[1].shape);
  if (!shape) return tl::unexpected(shape.error());
  inference.outputs = {{.type = {.shape = *shape}}};
  if (node.attributes.flag("inplace")) inference.outputs[0].alias = Operand::input(0);
  return inference;
}

std::vector<KernelSpec> kernels_binary(const NodeView& node) {
  return {stream("elementwise", StreamKind::elementwise, elements(node.outputs[0].shape), 1,
                 everything_read(node), whole({Operand::output()}))};
}

// The gradient itself, summed over what was stretched. The same tensor twice, as in x + x, gets both parts.
std::vector<GradientStep> gradient_add(const NodeView& node) {
  std::vector<GradientStep> steps;
  for (const int input : {0, 1}) {
    steps.push_back({.op = "identity", .operands = {Operand::gradient()}});
    finish_broadcast(steps, node.outputs[0].shape, node.inputs[static_cast<std::size_t>(input)].shape,
                     Operand::input(input));
  }
  return steps;
}

std::vector<GradientStep> gradient_sub(const NodeView& node) {
  std::vector<GradientStep> steps;
  steps.push_back({.op = "identity", .operands = {Operand::gradient()}});
  finish_broadcast(steps, node.outputs[0].shape, node.inputs[0].shape, Operand::input(0));
  steps.push_back({.op = "scale", .operands = {Operand::gradient()}});
  finish_broadcast(steps, node.outputs[0].shape, node.inputs[1].shape, Operand::input(1));
  return steps;
}

std::vector<GradientStep> gradient_mul(const NodeView& node) {
  std::vector<GradientStep> steps;
  for (const int input : {0, 1}) {
    steps.push_back({.op = "mul", .operands = {Operand::gradient(), Operand::input(1 - input)}});
    finish_broadcast(steps, node.outputs[0].shape, node.inputs[static_cast<std::size_t>(input)].shape,
                     Operand::input(input));
  }
  return steps;
}

// d(a/b) = dy / b and -dy a / b^2
std::vector<GradientStep> gradient_div(const NodeView& node) {
  std::vector<GradientStep> steps;
  steps.push_back({.op = "div", .operands = {Operand::gradient(), Operand::input(1)}});
  const int quotient = 0;
  finish_broadcast(steps, node.outputs[0].shape, node.inputs[0].shape, Operand::input(0));
  steps.push_back(
      {.op = "mul", .operands = {Operand::step(quotient), Operand::output()}, .targets = {std::nullopt}});
  const int product = static_cast<int>(steps.size()) - 1;
  steps.push_back({.op = "scale", .operands = {Operand::step(product)}});
  finish_broadcast(steps, node.outputs[0].shape, node.inputs[1].shape, Operand::input(1));
  return steps;
}

// Any function of elements at the same place.
std::vector<KernelSpec> kernels_pointwise(const NodeView& node) {
  KernelSpec kernel = stream("elementwise", StreamKind::elementwise, elements(node.outputs[0].shape), 1,
                             everything_read(node), whole({Operand::output()}));
  kernel.operations = elements(node.outputs[0].shape) * node.attributes.size("operations", Expr{1});
  return {kernel};
}

// dy times a derivative that is computed from all operands, for each real-valued one.
std::vector<GradientStep> gradient_pointwise(const NodeView& node) {
  std::vector<GradientStep> steps;
  if (node.outputs[0].dtype && !is_floating(*node.outputs[0].dtype)) return steps;
  for (std::size_t input = 0; input < node.inputs.size(); ++input) {
    if (node.inputs[input].dtype && !is_floating(*node.inputs[input].dtype)) continue;
    GradientStep step{.op = "pointwise", .operands = {Operand::gradient()}};
    step.attributes = shape_attribute(node.outputs[0].shape);
    step.attributes.set("operations", node.attributes.size("operations", Expr{1}) + Expr{1});
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      step.operands.push_back(Operand::input(static_cast<int>(i)));
    steps.push_back(step);
    finish_broadcast(steps, node.outputs[0].shape, node.inputs[input].shape,
                     Operand::input(static_cast<int>(input)));
  }
  return steps;
}

std::vector<GradientStep> gradient_scale(const NodeView& /*node*/) {
  return {{.op = "scale", .operands = {Operand::gradient()}, .targets = {Operand::input(0)}}};
}

Operator binary(std::string_view name, std::string_view summary,
                std::vector<GradientStep> (*gradient)(const NodeView&)) {
  return {.name = name,
          .summary = summary,
          .least_inputs = 2,
          .most_inputs = 2,
          .attributes = binary_attributes,
          .infer = infer_binary,
          .gradient = gradient,
          .kernels = kernels_binary};
}

}  // namespace

OperatorRows arithmetic_operators() {
  static const Operator rows[] = {
      binary("add", "elementwise sum", gradient_add),
      binary("sub", "elementwise difference", gradient_sub),
      binary("mul", "elementwise product", gradient_mul),
      binary("div", "elementwise quotient", gradient_div),
      {.name = "scale",
       .summary = "product with (or sum with) a constant",
       .attributes = scale_attributes,
       .infer = like_first_input,
       .gradient = gradient_scale,
       .kernels = kernels_binary},
      {.name = "pointwise",
       .summary = "any other function of elements at the same place, such as a comparison",
       .least_inputs = 1,
       .most_inputs = 64,
       .attributes = pointwise_attributes,
       .infer = like_shape_attribute,
       .gradient = gradient_pointwise,
       .kernels = kernels_pointwise},
  };
  return rows;
}

}  // namespace roofcast
