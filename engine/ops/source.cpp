// Values that come from nowhere: learned tensors and indices.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule shape_only[] = {{"shape", AttributeKind::sizes, true, "the shape of the result"}};
constexpr AttributeRule shape_and_type[] = {
    {"shape", AttributeKind::sizes, true, "the shape of the result"},
    {"dtype", AttributeKind::word, false, "element type, if it is not real-valued"}};

Result<Inference> infer_parameter(const NodeView& node) {
  const Shape shape = node.attributes.sizes("shape");
  return Inference{.outputs = {{.type = {.shape = shape}, .alias = Operand::parameter(0)}},
                   .parameters = {{"value", {.shape = shape}}}};
}

// Stored with the model, but not learned: a table of positions, a mask, a scale.
Result<Inference> infer_constant(const NodeView& node) {
  const TensorType type{.shape = node.attributes.sizes("shape"),
                        .dtype = parse_dtype(node.attributes.word("dtype"))};
  return Inference{.outputs = {{.type = type, .alias = Operand::parameter(0)}},
                   .parameters = {{"value", type, ParameterKind::statistic}}};
}

std::vector<GradientStep> gradient_parameter(const NodeView& /*node*/) {
  return {{.op = "identity", .operands = {Operand::gradient()}, .targets = {Operand::parameter(0)}}};
}

Result<Inference> infer_indices(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = node.attributes.sizes("shape"), .dtype = DType::int64}}}};
}

std::vector<KernelSpec> kernels_fill(const NodeView& node) {
  return {
      stream("fill", StreamKind::copy, elements(node.outputs[0].shape), 0, {}, whole({Operand::output()}))};
}

// Distances between positions, sorted into logarithmic buckets: about a dozen elementwise kernels over all
// pairs. Source: the reference implementation of T5 as published in Hugging Face transformers.
std::vector<KernelSpec> kernels_relative_buckets(const NodeView& node) {
  KernelSpec pass = stream("bucket", StreamKind::elementwise, elements(node.outputs[0].shape), 1,
                           whole({Operand::output()}), whole({Operand::output()}));
  pass.count = Expr{12};
  return {pass};
}

}  // namespace

OperatorRows source_operators() {
  static const Operator rows[] = {
      {.name = "parameter",
       .summary = "a learned tensor that is used as it is",
       .least_inputs = 0,
       .most_inputs = 0,
       .attributes = shape_only,
       .infer = infer_parameter,
       .gradient = gradient_parameter,
       .kernels = no_kernels},
      {.name = "constant",
       .summary = "a stored tensor that is not learned",
       .least_inputs = 0,
       .most_inputs = 0,
       .attributes = shape_and_type,
       .infer = infer_constant,
       .gradient = no_gradient,
       .kernels = no_kernels},
      {.name = "arange",
       .summary = "indices in order, such as positions",
       .least_inputs = 0,
       .most_inputs = 0,
       .attributes = shape_only,
       .infer = infer_indices,
       .gradient = no_gradient,
       .kernels = kernels_fill},
      {.name = "relative_buckets",
       .summary = "bucket indices of the distances between positions, as T5 has them",
       .least_inputs = 0,
       .most_inputs = 0,
       .attributes = shape_only,
       .infer = infer_indices,
       .gradient = no_gradient,
       .kernels = kernels_relative_buckets},
      {.name = "fill",
       .summary = "a new tensor of equal or random values",
       .least_inputs = 0,
       .most_inputs = 0,
       .attributes = shape_and_type,
       .infer = like_shape_attribute,
       .gradient = no_gradient,
       .kernels = kernels_fill},
  };
  return rows;
}

}  // namespace roofcast
