// Elementwise functions of one input. To add one: a line in `functions`.

#include <array>

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule attributes[] = {
    {"inplace", AttributeKind::flag, false, "the result takes the input's storage (default false)"}};

constexpr AttributeRule power_attributes[] = {
    {"exponent", AttributeKind::number, false, "the power; its value does not matter here"},
    {"inplace", AttributeKind::flag, false, "the result takes the input's storage (default false)"}};

std::span<const AttributeRule> attributes_of(std::string_view name) {
  if (name == "pow") return power_attributes;
  return attributes;
}

/// What the derivative is computed from, and what training keeps therefore. `either`: the input, or in place
/// the result.
enum class Keeps : std::uint8_t { input, output, either };

struct Function {
  std::string_view name{};
  std::string_view summary{};
  std::int64_t operations = 1;  // per element, a transcendental function counted as about ten
  Keeps keeps = Keeps::input;
  CastRule cast = CastRule::widest;
};

constexpr std::array functions = {
    Function{"relu", "max(x, 0)", 1, Keeps::output},
    Function{"relu6", "min(max(x, 0), 6)", 2, Keeps::input},
    Function{"leaky_relu", "x, or a small multiple of x below 0", 2, Keeps::either},
    Function{"elu", "x, or exp(x) - 1 below 0", 12, Keeps::output},
    Function{"gelu", "x times the normal distribution function of x", 14, Keeps::input},
    Function{"silu", "x sigmoid(x)", 12, Keeps::input},
    Function{"sigmoid", "1 / (1 + exp(-x))", 12, Keeps::output},
    Function{"tanh", "hyperbolic tangent", 12, Keeps::output},
    Function{"softplus", "log(1 + exp(x))", 22, Keeps::input, CastRule::fp32},
    Function{"hardswish", "x min(max(x + 3, 0), 6) / 6", 5, Keeps::input},
    Function{"hardsigmoid", "min(max(x + 3, 0), 6) / 6", 4, Keeps::input},
    Function{"exp", "exponential", 10, Keeps::output, CastRule::fp32},
    Function{"log", "natural logarithm", 10, Keeps::input, CastRule::fp32},
    Function{"sqrt", "square root", 8, Keeps::output},
    Function{"pow", "a constant power of x", 10, Keeps::input, CastRule::fp32},
    Function{"erf", "error function", 12, Keeps::input},
    Function{"abs", "absolute value", 1, Keeps::input},
};

const Function& function_of(std::string_view name) {
  for (const Function& function : functions) {
    if (function.name == name) return function;
  }
  return functions.front();
}

// Training in place would overwrite the input that the derivative needs, so PyTorch copies it first.
bool copies_input(const NodeView& node, const Function& function) {
  return node.training && node.attributes.flag("inplace") && function.keeps == Keeps::input;
}

template <std::size_t index>
Result<Inference> infer(const NodeView& node) {
  auto inference = like_first_input(node);
  if (inference && copies_input(node, functions[index])) inference->outputs[0].alias.reset();
  return inference;
}

template <std::size_t index>
std::vector<KernelSpec> kernels(const NodeView& node) {
  const Expr count = elements(node.outputs[0].shape);
  std::vector<KernelSpec> specs;
  if (copies_input(node, functions[index])) {
    specs.push_back(
        stream("copy", StreamKind::copy, count, 0, everything_read(node), whole({Operand::output()})));
  }
  specs.push_back(stream(functions[index].name, StreamKind::elementwise, count, functions[index].operations,
                         everything_read(node), whole({Operand::output()})));
  return specs;
}

template <std::size_t index>
std::vector<GradientStep> gradient(const NodeView& /*node*/) {
  Attributes of;
  of.set("function", std::string(functions[index].name));
  return {{.op = "activation_backward",
           .attributes = of,
           .operands = {Operand::gradient(),
                        functions[index].keeps == Keeps::output ? Operand::output(0) : Operand::input(0)},
           .targets = {Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_backward(const NodeView& node) {
  const Function& function = function_of(node.attributes.word("function"));
  return {stream("activation backward", StreamKind::elementwise, elements(node.outputs[0].shape),
                 function.operations + 2, everything_read(node), whole({Operand::output()}))};
}

template <std::size_t... indices>
std::vector<Operator> all_rows(std::index_sequence<indices...> /*unused*/) {
  std::vector<Operator> rows = {{.name = functions[indices].name,
                                 .summary = functions[indices].summary,
                                 .cast = functions[indices].cast,
                                 .attributes = attributes_of(functions[indices].name),
                                 .infer = infer<indices>,
                                 .gradient = gradient<indices>,
                                 .kernels = kernels<indices>}...};
  rows.push_back({.name = "activation_backward",
                  .least_inputs = 2,
                  .most_inputs = 2,
                  .in_model_files = false,
                  .infer = like_first_input,
                  .kernels = kernels_backward});
  return rows;
}

}  // namespace

OperatorRows activation_operators() {
  static const std::vector<Operator> rows = all_rows(std::make_index_sequence<functions.size()>{});
  return rows;
}

}  // namespace roofcast
