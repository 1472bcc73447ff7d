// Dropout: a mask and a product in training, nothing in inference.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule dropout_attributes[] = {
    {"p", AttributeKind::number, false, "the share that is dropped; its value does not matter here"}};

Result<Inference> infer_dropout(const NodeView& node) {
  const Shape& shape = node.inputs[0].shape;
  Inference inference{.outputs = {{.type = {.shape = shape}}}};
  if (node.training) {
    inference.outputs.push_back({.type = {.shape = shape, .dtype = DType::boolean}});
  } else {
    inference.outputs[0].alias = Operand::input(0);
  }
  return inference;
}

std::vector<KernelSpec> kernels_dropout(const NodeView& node) {
  if (!node.training) return {};
  return {stream("dropout", StreamKind::elementwise, elements(node.outputs[0].shape), 10,
                 everything_read(node), whole({Operand::output(0), Operand::output(1)}))};
}

std::vector<GradientStep> gradient_dropout(const NodeView& /*node*/) {
  return {
      {.op = "mask", .operands = {Operand::gradient(), Operand::output(1)}, .targets = {Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_mask(const NodeView& node) {
  return {stream("mask", StreamKind::elementwise, elements(node.outputs[0].shape), 2, everything_read(node),
                 whole({Operand::output()}))};
}

}  // namespace

OperatorRows dropout_operators() {
  static const Operator rows[] = {
      {.name = "dropout",
       .summary = "drops values at random in training; a view in inference",
       .attributes = dropout_attributes,
       .infer = infer_dropout,
       .gradient = gradient_dropout,
       .kernels = kernels_dropout},
      {.name = "mask",
       .least_inputs = 2,
       .most_inputs = 2,
       .in_model_files = false,
       .infer = like_first_input,
       .kernels = kernels_mask},
  };
  return rows;
}

}  // namespace roofcast
