// Recurrent layers: one product for all inputs, then one step after the other.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule lstm_attributes[] = {{"hidden", AttributeKind::size, true, "size of the state"}};

constexpr std::int64_t gates = 4;  // input, forget, cell, output
constexpr std::int64_t cell_operations =
    60;  // three sigmoids, two tanh and five products or sums per state value

struct Sizes {
  Expr batch{1}, steps{1}, input{1}, hidden{1};
};

// Input [batch, length, features]. Outputs the states, and for training the gates and cells of each step.
Result<Inference> infer_lstm(const NodeView& node) {
  if (node.inputs[0].shape.size() != 3) {
    return reject(node, fmt::format("input must be [batch, length, features], not {}",
                                    to_string(node.inputs[0].shape)));
  }
  const Shape& input = node.inputs[0].shape;
  const Expr hidden = node.attributes.size("hidden");
  const Expr all_gates = Expr{gates} * hidden;
  Inference inference{.outputs = {{.type = {.shape = {input[0], input[1], hidden}}}},
                      .parameters = {{"weight_ih", {.shape = {all_gates, input[2]}}},
                                     {"weight_hh", {.shape = {all_gates, hidden}}},
                                     {"bias_ih", {.shape = {all_gates}}},
                                     {"bias_hh", {.shape = {all_gates}}}}};
  if (node.training) {
    inference.outputs.push_back({.type = {.shape = {input[0], input[1], all_gates}}});
    inference.outputs.push_back({.type = {.shape = {input[0], input[1], hidden}}});
  }
  return inference;
}

std::vector<KernelSpec> kernels_lstm(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  const Expr& batch = input[0];
  const Expr& steps = input[1];
  const Expr hidden = node.attributes.size("hidden");
  const Expr all_gates = Expr{gates} * hidden;
  const Expr state = batch * hidden;
  constexpr std::int64_t workspace_bytes_per_value = 4;

  KernelSpec inputs = gemm("gemm (all inputs)", {.m = batch * steps, .n = all_gates, .k = input[2]},
                           whole({Operand::input(0), Operand::parameter(0), Operand::parameter(2)}), {});
  inputs.workspace_bytes = batch * steps * all_gates * Expr{workspace_bytes_per_value};
  inputs.writes = {{Operand::output(0), batch * steps * all_gates}};
  KernelSpec recurrence =
      gemm("gemm (state)", {.m = batch, .n = all_gates, .k = hidden},
           {{Operand::output(0), state}, {Operand::parameter(1), {}}, {Operand::parameter(3), {}}},
           {{Operand::output(0), batch * all_gates}});
  recurrence.count = steps;
  recurrence.workspace_bytes = inputs.workspace_bytes;
  KernelSpec cell =
      stream("cell", StreamKind::elementwise, state, cell_operations,
             {{Operand::output(0), Expr{2 * gates + 1} * state}}, {{Operand::output(0), Expr{2} * state}});
  cell.count = steps;
  cell.workspace_bytes = inputs.workspace_bytes;
  if (node.outputs.size() > 1) cell.writes.push_back({Operand::output(1), batch * all_gates});
  return {inputs, recurrence, cell};
}

std::vector<GradientStep> gradient_lstm(const NodeView& node) {
  const auto weight_gradient = [&](int parameter, const Operand& operand) {
    return GradientStep{
        .op = "linear_weight_gradient",
        .attributes = shape_attribute(node.parameters[static_cast<std::size_t>(parameter)].shape),
        .operands = {Operand::step(0), operand},
        .targets = {Operand::parameter(parameter)}};
  };
  std::vector<GradientStep> steps;
  steps.push_back(
      {.op = "lstm_backward",
       .operands = {Operand::gradient(0), Operand::parameter(1), Operand::output(1), Operand::output(2)},
       .targets = {std::nullopt}});
  steps.push_back({.op = "linear_input_gradient",
                   .attributes = shape_attribute(node.inputs[0].shape),
                   .operands = {Operand::step(0), Operand::parameter(0)},
                   .targets = {Operand::input(0)}});
  steps.push_back(weight_gradient(0, Operand::input(0)));
  steps.push_back(weight_gradient(1, Operand::output(0)));
  for (const int bias : {2, 3}) {
    steps.push_back({.op = "sum_to",
                     .attributes = shape_attribute(node.parameters[static_cast<std::size_t>(bias)].shape),
                     .operands = {Operand::step(0)},
                     .targets = {Operand::parameter(bias)}});
  }
  return steps;
}

// From the last step to the first: the gates' gradients, then the state's through the recurrent weights.
Result<Inference> infer_lstm_backward(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = node.inputs[2].shape}}}};
}

std::vector<KernelSpec> kernels_lstm_backward(const NodeView& node) {
  const Shape& gradient = node.inputs[0].shape;
  const Expr state = gradient[0] * gradient[2];
  const Expr all_gates = Expr{gates} * gradient[2];
  KernelSpec cell = stream("cell backward", StreamKind::elementwise, state, cell_operations,
                           {{Operand::input(0), state},
                            {Operand::input(2), Expr{gates} * state},
                            {Operand::input(3), Expr{2} * state}},
                           {{Operand::output(), Expr{gates} * state}});
  cell.count = gradient[1];
  KernelSpec recurrence =
      gemm("gemm (state gradient)", {.m = gradient[0], .n = gradient[2], .k = all_gates},
           {{Operand::output(), Expr{gates} * state}, {Operand::input(1), {}}}, {{Operand::input(0), state}});
  recurrence.count = gradient[1] - Expr{1};  // the state that the first step starts from has no gradient
  return {cell, recurrence};
}

}  // namespace

OperatorRows recurrent_operators() {
  static const Operator rows[] = {
      {.name = "lstm",
       .summary = "one LSTM layer over [batch, length, features]",
       .cast = CastRule::low,
       .attributes = lstm_attributes,
       .infer = infer_lstm,
       .gradient = gradient_lstm,
       .kernels = kernels_lstm},
      {.name = "lstm_backward",
       .least_inputs = 4,
       .most_inputs = 4,
       .cast = CastRule::low,
       .in_model_files = false,
       .infer = infer_lstm_backward,
       .kernels = kernels_lstm_backward},
  };
  return rows;
}

}  // namespace roofcast
