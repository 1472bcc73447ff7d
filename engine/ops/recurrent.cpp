// Recurrent layers: one product for all inputs, then one step after the other.

#include <algorithm>

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule recurrent_attributes[] = {
    {"hidden", AttributeKind::size, true, "size of the state"},
    {"directions", AttributeKind::size, false,
     "2: a second pass from the end, states side by side; default 1"},
    {"sequence_first", AttributeKind::flag, false, "input is [length, batch, features] (default false)"},
    {"final_states", AttributeKind::flag, false, "also gives the states after the last step (default false)"},
    {"bias", AttributeKind::flag, false, "adds learned vectors to the gates (default true)"}};

/// What tells one kind of cell from another. Sizes are in states: one value per sample and hidden unit.
struct Cell {
  std::string_view backward{};
  std::int64_t gates = 1;
  std::int64_t operations = 0;  ///< per state value: about 11 for a sigmoid or tanh, 1 for a product or sum
  std::int64_t carried = 1;     ///< states handed from step to step
  std::int64_t reads = 0;       ///< of the cell kernel
  bool keeps_gates = true;      ///< training keeps the gates; otherwise the states are enough
  bool keeps_inner = true;      ///< and one more state: the memory of an LSTM, the reset part of a GRU
};

// Gates input, forget, cell, output; three sigmoids, two tanh and five products or sums.
constexpr Cell lstm_cell{.backward = "lstm_backward", .gates = 4, .operations = 60, .carried = 2, .reads = 9};
// Gates update, reset, candidate; two sigmoids, one tanh and seven products or sums.
constexpr Cell gru_cell{.backward = "gru_backward", .gates = 3, .operations = 40, .carried = 1, .reads = 7};
// h' = tanh(W x + R h + b): its derivative is 1 - h'^2.
constexpr Cell rnn_cell{.backward = "rnn_backward",
                        .gates = 1,
                        .operations = 12,
                        .carried = 1,
                        .reads = 2,
                        .keeps_gates = false,
                        .keeps_inner = false};

struct CellSizes {
  Expr batch{1}, steps{1}, input{1}, hidden{1}, directions{1};
};

// Of [batch, length, features] or, with `sequence_first`, [length, batch, features].
CellSizes cell_sizes(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  const bool sequence_first = node.attributes.flag("sequence_first");
  return {.batch = input[sequence_first ? 1 : 0],
          .steps = input[sequence_first ? 0 : 1],
          .input = input[2],
          .hidden = node.attributes.size("hidden"),
          .directions = node.attributes.size("directions", Expr{1})};
}

/// Where the outputs of a node stand.
struct Outputs {
  int final_states = 1;
  int gates = 1;
  int inner = 1;
};

Outputs outputs_of(const Cell& cell, const NodeView& node) {
  Outputs at;
  at.gates = 1 + (node.attributes.flag("final_states") ? static_cast<int>(cell.carried) : 0);
  at.inner = at.gates + (cell.keeps_gates ? 1 : 0);
  return at;
}

// Inputs are the sequence and optionally the states to start from. Outputs the states, on request those after
// the last step [directions, batch, hidden], and for training the gates and what else a step keeps.
Result<Inference> infer(const Cell& cell, const NodeView& node) {
  if (node.inputs[0].shape.size() != 3) {
    return reject(node, fmt::format("input must be [batch, length, features], not {}",
                                    to_string(node.inputs[0].shape)));
  }
  const CellSizes sizes = cell_sizes(node);
  const Shape& input = node.inputs[0].shape;
  const Expr states = sizes.directions * sizes.hidden;
  const Expr all_gates = Expr{cell.gates} * states;
  Inference inference{.outputs = {{.type = {.shape = {input[0], input[1], states}}}},
                      .parameters = {{"weight_ih", {.shape = {all_gates, sizes.input}}},
                                     {"weight_hh", {.shape = {all_gates, sizes.hidden}}}}};
  if (node.attributes.flag("bias", true)) {
    inference.parameters.push_back({"bias_ih", {.shape = {all_gates}}});
    inference.parameters.push_back({"bias_hh", {.shape = {all_gates}}});
  }
  if (node.attributes.flag("final_states")) {
    for (std::int64_t i = 0; i < cell.carried; ++i)
      inference.outputs.push_back({.type = {.shape = {sizes.directions, sizes.batch, sizes.hidden}}});
  }
  if (node.training && cell.keeps_gates)
    inference.outputs.push_back({.type = {.shape = {input[0], input[1], all_gates}}});
  if (node.training && cell.keeps_inner)
    inference.outputs.push_back({.type = {.shape = {input[0], input[1], states}}});
  return inference;
}

std::vector<KernelSpec> kernels(const Cell& cell, const NodeView& node) {
  const CellSizes sizes = cell_sizes(node);
  const bool biased = node.parameters.size() > 2;
  const Expr gates = Expr{cell.gates} * sizes.hidden;  // of one direction
  const Expr state = sizes.batch * sizes.hidden;
  const Expr rows = sizes.batch * sizes.steps;
  const Expr all_gates = sizes.directions * gates;
  constexpr std::int64_t workspace_bytes_per_value = 4;

  KernelSpec inputs = gemm("gemm (all inputs)", {.m = rows, .n = all_gates, .k = sizes.input},
                           whole({Operand::input(0), Operand::parameter(0)}), {});
  if (biased) inputs.reads.push_back({Operand::parameter(2), {}});
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    inputs.reads.push_back({Operand::input(static_cast<int>(i)), {}});
  inputs.workspace_bytes = rows * all_gates * Expr{workspace_bytes_per_value};
  inputs.writes = {{Operand::output(0), rows * all_gates}};
  KernelSpec recurrence = gemm("gemm (state)", {.m = sizes.batch, .n = gates, .k = sizes.hidden},
                               {{Operand::output(0), state}, {Operand::parameter(1), gates * sizes.hidden}},
                               {{Operand::output(0), sizes.batch * gates}});
  if (biased) recurrence.reads.push_back({Operand::parameter(3), gates});
  recurrence.count = sizes.steps * sizes.directions;
  recurrence.workspace_bytes = inputs.workspace_bytes;
  KernelSpec step = stream("cell", StreamKind::elementwise, state, cell.operations,
                           {{Operand::output(0), Expr{cell.reads} * state}},
                           {{Operand::output(0), Expr{cell.carried} * state}});
  step.count = recurrence.count;
  step.workspace_bytes = inputs.workspace_bytes;
  if (const int kept = outputs_of(cell, node).gates;
      cell.keeps_gates && node.outputs.size() > static_cast<std::size_t>(kept)) {
    step.writes.push_back({Operand::output(kept), sizes.batch * gates});
  }
  return {inputs, recurrence, step};
}

std::vector<GradientStep> gradient(const Cell& cell, const NodeView& node) {
  const Outputs at = outputs_of(cell, node);
  const bool two_ways = !node.attributes.size("directions", Expr{1}).is(1);
  std::vector<GradientStep> steps;
  GradientStep through{.op = cell.backward,
                       .operands = {Operand::gradient(0), Operand::parameter(1)},
                       .targets = {std::nullopt}};
  for (const char* attribute : {"directions", "sequence_first"}) {
    if (node.attributes.has(attribute))
      through.attributes.set(attribute, node.attributes.all().find(attribute)->second);
  }
  through.operands.push_back(cell.keeps_gates ? Operand::output(at.gates) : Operand::output(0));
  if (cell.keeps_inner) through.operands.push_back(Operand::output(at.inner));
  for (int i = at.final_states; i < at.gates; ++i) through.operands.push_back(Operand::gradient(i));
  const auto initial = static_cast<std::int64_t>(node.inputs.size()) - 1;
  if (initial > 0) through.attributes.set("initial_states", Expr{initial});
  for (int i = 1; i <= initial; ++i) through.targets.emplace_back(Operand::input(i));
  steps.push_back(through);
  steps.push_back({.op = "linear_input_gradient",
                   .attributes = shape_attribute(node.inputs[0].shape),
                   .operands = {Operand::step(0), Operand::parameter(0)},
                   .targets = {Operand::input(0)}});
  steps.push_back({.op = "linear_weight_gradient",
                   .attributes = shape_attribute(node.parameters[0].shape),
                   .operands = {Operand::step(0), Operand::input(0)},
                   .targets = {Operand::parameter(0)}});
  steps.push_back({.op = two_ways ? "recurrent_weight_gradient" : "linear_weight_gradient",
                   .attributes = shape_attribute(node.parameters[1].shape),
                   .operands = {Operand::step(0), Operand::output(0)},
                   .targets = {Operand::parameter(1)}});
  for (int bias = 2; bias < static_cast<int>(node.parameters.size()); ++bias) {
    steps.push_back({.op = "sum_to",
                     .attributes = shape_attribute(node.parameters[static_cast<std::size_t>(bias)].shape),
                     .operands = {Operand::step(0)},
                     .targets = {Operand::parameter(bias)}});
  }
  return steps;
}

// From the last step to the first: the gates' gradients, then the state's through the recurrent weights.
// Inputs are the gradient of the states, the recurrent weights, the kept gates (or states), what else was
// kept, and the gradients of the final states. Outputs the gates' gradient and those of the initial states.
Result<Inference> infer_backward(const NodeView& node) {
  const Shape& gradient = node.inputs[0].shape;
  const Expr directions = node.attributes.size("directions", Expr{1});
  const Shape state{directions, gradient[node.attributes.flag("sequence_first") ? 1 : 0],
                    floor_divide(gradient[2], directions)};
  Inference inference{.outputs = {{.type = {.shape = node.inputs[2].shape}}}};
  const Expr initial = node.attributes.size("initial_states", Expr{0});
  for (std::int64_t i = 0; i < initial.constant(); ++i)
    inference.outputs.push_back({.type = {.shape = state}});
  return inference;
}

std::vector<KernelSpec> kernels_backward(const Cell& cell, const NodeView& node) {
  const Shape& gradient = node.inputs[0].shape;
  const bool sequence_first = node.attributes.flag("sequence_first");
  const Expr& batch = gradient[sequence_first ? 1 : 0];
  const Expr& steps = gradient[sequence_first ? 0 : 1];
  const Expr directions = node.attributes.size("directions", Expr{1});
  const Expr hidden = floor_divide(gradient[2], directions);
  const Expr state = batch * hidden;
  const Expr gates{cell.gates};
  KernelSpec step = stream("cell backward", StreamKind::elementwise, state, cell.operations,
                           {{Operand::input(0), state}, {Operand::input(2), gates * state}},
                           {{Operand::output(), gates * state}});
  if (cell.keeps_inner) step.reads.push_back({Operand::input(3), Expr{2} * state});
  step.count = steps * directions;
  KernelSpec recurrence =
      gemm("gemm (state gradient)", {.m = batch, .n = hidden, .k = gates * hidden},
           {{Operand::output(), gates * state}, {Operand::input(1), gates * hidden * hidden}},
           {{Operand::input(0), state}});
  // The state that the first step starts from has a gradient only if it is an input.
  const bool from_zero = node.outputs.size() == 1;
  recurrence.count = (from_zero ? steps - Expr{1} : steps) * directions;
  return {step, recurrence};
}

// dR[directions * gates * hidden, hidden]: each direction's gates meet only its own states.
std::vector<KernelSpec> kernels_weight_gradient(const NodeView& node) {
  const Shape& weight = node.outputs[0].shape;
  const Expr directions = floor_divide(node.inputs[1].shape.back(), weight[1]);
  KernelSpec kernel = gemm("gemm (weight gradient)",
                           {.m = floor_divide(weight[0], directions),
                            .n = weight[1],
                            .k = elements(node.inputs[0].shape, 0, node.inputs[0].shape.size() - 1)},
                           {}, {});
  const auto part = [&](const Operand& operand, const Shape& shape) {
    return Access{operand, floor_divide(elements(shape), directions)};
  };
  kernel.reads = {part(Operand::input(0), node.inputs[0].shape),
                  part(Operand::input(1), node.inputs[1].shape)};
  kernel.writes = {part(Operand::output(), weight)};
  kernel.count = directions;
  return {kernel};
}

template <const Cell& cell>
Operator layer(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .most_inputs = 1 + static_cast<int>(cell.carried),
          .cast = CastRule::low,
          .attributes = recurrent_attributes,
          .infer = [](const NodeView& node) { return infer(cell, node); },
          .gradient = [](const NodeView& node) { return gradient(cell, node); },
          .kernels = [](const NodeView& node) { return kernels(cell, node); }};
}

template <const Cell& cell>
Operator backward() {
  const int kept = 3 + (cell.keeps_inner ? 1 : 0);
  return {.name = cell.backward,
          .least_inputs = kept,
          .most_inputs = kept + static_cast<int>(cell.carried),
          .cast = CastRule::low,
          .in_model_files = false,
          .infer = infer_backward,
          .kernels = [](const NodeView& node) { return kernels_backward(cell, node); }};
}

}  // namespace

OperatorRows recurrent_operators() {
  static const Operator rows[] = {
      layer<lstm_cell>("lstm", "one LSTM layer over [batch, length, features]"),
      layer<gru_cell>("gru", "one GRU layer over [batch, length, features]"),
      layer<rnn_cell>("rnn", "one plain recurrent layer over [batch, length, features]"),
      backward<lstm_cell>(),
      backward<gru_cell>(),
      backward<rnn_cell>(),
      {.name = "recurrent_weight_gradient",
       .least_inputs = 2,
       .most_inputs = 2,
       .cast = CastRule::low,
       .in_model_files = false,
       .infer = like_shape_attribute,
       .kernels = kernels_weight_gradient},
  };
  return rows;
}

}  // namespace roofcast
