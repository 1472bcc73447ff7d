// What precision and differentiation insert: casts, quantisation, sums of gradients.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

Result<Inference> infer_to_dtype(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = node.inputs[0].shape,
                                         .dtype = parse_dtype(node.attributes.word("dtype"))}}}};
}

std::vector<KernelSpec> kernels_cast(const NodeView& node) {
  return {stream("cast", StreamKind::copy, elements(node.outputs[0].shape), 0, everything_read(node),
                 whole({Operand::output()}))};
}

std::vector<GradientStep> gradient_cast(const NodeView& node) {
  Attributes attributes;
  attributes.set("dtype", std::string(to_string(node.inputs[0].dtype.value_or(DType::fp32))));
  return {{.op = "cast",
           .attributes = attributes,
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

// A first pass finds the largest magnitude, a second one scales and rounds.
std::vector<KernelSpec> kernels_quantize(const NodeView& node) {
  const Expr count = elements(node.inputs[0].shape);
  return {stream("largest magnitude", StreamKind::reduction, count, 1, everything_read(node), {}),
          stream("quantize", StreamKind::copy, count, 2, everything_read(node), whole({Operand::output()}))};
}

Result<Inference> infer_accumulate(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = node.inputs[0].shape}, .alias = Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_accumulate(const NodeView& node) {
  return {stream("accumulate", StreamKind::elementwise, elements(node.outputs[0].shape), 1,
                 everything_read(node), whole({Operand::output()}))};
}

}  // namespace

OperatorRows conversion_operators() {
  static const Operator rows[] = {
      {.name = "cast",
       .in_model_files = false,
       .infer = infer_to_dtype,
       .gradient = gradient_cast,
       .kernels = kernels_cast},
      {.name = "quantize", .in_model_files = false, .infer = infer_to_dtype, .kernels = kernels_quantize},
      {.name = "accumulate",
       .least_inputs = 2,
       .most_inputs = 2,
       .in_model_files = false,
       .infer = infer_accumulate,
       .kernels = kernels_accumulate},
  };
  return rows;
}

}  // namespace roofcast
