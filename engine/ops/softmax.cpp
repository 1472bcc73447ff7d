// Softmax and the losses that training ends with.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule softmax_attributes[] = {
    {"axis", AttributeKind::size, false, "default -1, the last; its cost is that of the last"}};

// Per element: the maximum, a subtraction, an exponential (ten), a sum, a division.
constexpr std::int64_t softmax_operations = 14;

KernelSpec with_row(KernelSpec kernel, const Shape& shape) {
  std::get<Stream<Expr>>(kernel.form).row = shape.empty() ? Expr{1} : shape.back();
  return kernel;
}

std::vector<KernelSpec> kernels_softmax(const NodeView& node) {
  return {with_row(stream("softmax", StreamKind::softmax, elements(node.outputs[0].shape), softmax_operations,
                          everything_read(node), whole({Operand::output()})),
                   node.outputs[0].shape)};
}

std::vector<GradientStep> gradient_softmax(const NodeView& /*node*/) {
  return {{.op = "softmax_backward",
           .operands = {Operand::gradient(), Operand::output()},
           .targets = {Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_softmax_backward(const NodeView& node) {
  return {with_row(stream("softmax backward", StreamKind::softmax, elements(node.outputs[0].shape), 4,
                          everything_read(node), whole({Operand::output()})),
                   node.outputs[0].shape)};
}

// Mean over all rows of -log softmax(logits)[target]. The second output is the log-softmax, kept for the
// gradient.
Result<Inference> infer_cross_entropy(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 1, "[..., classes]"); !ok) return tl::unexpected(ok.error());
  const Shape& logits = node.inputs[0].shape;
  Inference inference{.outputs = {{.type = {.shape = {}, .dtype = DType::fp32}},
                                  {.type = {.shape = logits, .dtype = DType::fp32}}}};
  if (auto ok =
          require_same_shape(inference, node, Shape(logits.begin(), logits.end() - 1), node.inputs[1].shape,
                             "logits and targets differ in their leading dimensions");
      !ok) {
    return tl::unexpected(ok.error());
  }
  return inference;
}

std::vector<KernelSpec> kernels_cross_entropy(const NodeView& node) {
  const Shape& logits = node.inputs[0].shape;
  return {with_row(stream("log softmax", StreamKind::softmax, elements(logits), softmax_operations,
                          whole({Operand::input(0)}), whole({Operand::output(1)})),
                   logits),
          stream("negative log likelihood", StreamKind::reduction, rows(logits), 1,
                 {{Operand::output(1), rows(logits)}, {Operand::input(1), {}}}, whole({Operand::output(0)}))};
}

std::vector<GradientStep> gradient_cross_entropy(const NodeView& /*node*/) {
  return {{.op = "cross_entropy_backward",
           .operands = {Operand::gradient(), Operand::output(1), Operand::input(1)},
           .targets = {Operand::input(0)}}};
}

Result<Inference> infer_cross_entropy_backward(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = node.inputs[1].shape}}}};
}

// The gradient of the log likelihood is a zero-filled tensor with one value a row; log softmax turns it
// dense.
std::vector<KernelSpec> kernels_cross_entropy_backward(const NodeView& node) {
  const Expr count = elements(node.inputs[1].shape);
  constexpr std::int64_t fp32_bytes = 4;
  KernelSpec fill = stream("negative log likelihood backward", StreamKind::elementwise, count, 0,
                           whole({Operand::input(2)}), whole({Operand::output()}));
  fill.workspace_bytes = count * Expr{fp32_bytes};
  KernelSpec dense =
      with_row(stream("log softmax backward", StreamKind::softmax, count, softmax_operations,
                      whole({Operand::input(1), Operand::output()}), whole({Operand::output()})),
               node.inputs[1].shape);
  dense.workspace_bytes = fill.workspace_bytes;
  return {fill, dense};
}

// Mean over all elements of an elementwise loss of two tensors of one shape.
Result<Inference> infer_elementwise_loss(const NodeView& node) {
  Inference inference{.outputs = {{.type = {.shape = {}, .dtype = DType::fp32}}}};
  if (auto ok = require_same_shape(inference, node, node.inputs[0].shape, node.inputs[1].shape,
                                   "predictions and targets differ in shape");
      !ok) {
    return tl::unexpected(ok.error());
  }
  return inference;
}

std::vector<KernelSpec> kernels_elementwise_loss(const NodeView& node) {
  constexpr std::int64_t operations = 24;  // two logarithms and their weights
  return {stream("loss", StreamKind::reduction, elements(node.inputs[0].shape), operations,
                 everything_read(node), whole({Operand::output()}))};
}

std::vector<GradientStep> gradient_elementwise_loss(const NodeView& /*node*/) {
  return {{.op = "elementwise_loss_backward",
           .operands = {Operand::input(0), Operand::input(1), Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_elementwise_loss_backward(const NodeView& node) {
  return {stream("loss backward", StreamKind::elementwise, elements(node.outputs[0].shape), 4,
                 everything_read(node), whole({Operand::output()}))};
}

Operator elementwise_loss(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .least_inputs = 2,
          .most_inputs = 2,
          .cast = CastRule::fp32,
          .infer = infer_elementwise_loss,
          .gradient = gradient_elementwise_loss,
          .kernels = kernels_elementwise_loss};
}

}  // namespace

OperatorRows softmax_operators() {
  static const Operator rows[] = {
      {.name = "softmax",
       .summary = "exponentials of the last dimension, divided by their sum",
       .cast = CastRule::fp32,
       .attributes = softmax_attributes,
       .infer = like_first_input,
       .gradient = gradient_softmax,
       .kernels = kernels_softmax},
      {.name = "log_softmax",
       .summary = "logarithm of softmax",
       .cast = CastRule::fp32,
       .attributes = softmax_attributes,
       .infer = like_first_input,
       .gradient = gradient_softmax,
       .kernels = kernels_softmax},
      {.name = "cross_entropy",
       .summary = "loss: mean negative log likelihood of targets under softmax of logits",
       .least_inputs = 2,
       .most_inputs = 2,
       .cast = CastRule::fp32,
       .infer = infer_cross_entropy,
       .gradient = gradient_cross_entropy,
       .kernels = kernels_cross_entropy},
      elementwise_loss("binary_cross_entropy", "loss: mean cross-entropy of probabilities and 0/1 targets"),
      elementwise_loss("mse_loss", "loss: mean squared difference"),
      {.name = "softmax_backward",
       .least_inputs = 2,
       .most_inputs = 2,
       .in_model_files = false,
       .infer = like_first_input,
       .kernels = kernels_softmax_backward},
      {.name = "cross_entropy_backward",
       .least_inputs = 3,
       .most_inputs = 3,
       .in_model_files = false,
       .infer = infer_cross_entropy_backward,
       .kernels = kernels_cross_entropy_backward},
      {.name = "elementwise_loss_backward",
       .least_inputs = 3,
       .most_inputs = 3,
       .in_model_files = false,
       .infer = like_first_input,
       .kernels = kernels_elementwise_loss_backward},
  };
  return rows;
}

}  // namespace roofcast
