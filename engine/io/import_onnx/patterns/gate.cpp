#include "engine/io/import_onnx/patterns/gate.hpp"

#include <algorithm>

namespace roofcast::onnx {
namespace {

constexpr int deepest_gate = 10;

std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
  Polynomial result{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (a[i] == 0 || b[j] == 0) continue;
      if (i + j >= result.size()) return std::nullopt;
      result[i + j] += a[i] * b[j];
    }
  }
  return result;
}

Polynomial sum(const Polynomial& a, const Polynomial& b, double sign) {
  Polynomial result = a;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += sign * b[i];
  return result;
}

// `value` as a polynomial of `x`, if sums, products and powers lead from one to the other.
std::optional<Polynomial> polynomial(const Rewriter& graph, ValueId value, ValueId x, int depth = 0) {
  if (value == x) return Polynomial{0, 1};
  const int index = graph.producer(value);
  if (index == no_node || depth > deepest_gate) return std::nullopt;
  const roofcast::Node node = graph.node(index);
  const bool known = graph.is(index, "scale") || graph.is(index, "pow") || graph.is(index, "mul") ||
                     graph.is(index, "add") || graph.is(index, "sub");
  if (!known) return std::nullopt;
  const auto first = polynomial(graph, node.inputs[0], x, depth + 1);
  if (!first) return std::nullopt;
  if (graph.is(index, "scale")) {
    const auto constants = affine(graph, index);
    if (!constants) return std::nullopt;
    return sum(*product(*first, {constants->factor}), {constants->offset}, 1);
  }
  if (graph.is(index, "pow")) {
    const double exponent = node.attributes.number("exponent", 0);
    if (exponent == 2) return product(*first, *first);
    if (exponent != 3) return std::nullopt;
    const auto square = product(*first, *first);
    return square ? product(*square, *first) : std::nullopt;
  }
  const auto second = polynomial(graph, node.inputs[1], x, depth + 1);
  if (!second) return std::nullopt;
  if (graph.is(index, "mul")) return product(*first, *second);
  return sum(*first, *second, graph.is(index, "add") ? 1 : -1);
}

}  // namespace

bool near(const Polynomial& polynomial, const Polynomial& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!near(polynomial[i], wanted[i])) return false;
  }
  return true;
}

std::vector<Gate> gates(const Rewriter& graph, int outer, int inner) {
  // Down from f over constants to the product with x.
  Affine of_function;
  ValueId value = graph.node(outer).outputs.front();
  int reader = graph.only_reader(value);
  while (const auto constants = affine(graph, reader)) {
    of_function = {of_function.factor * constants->factor,
                   of_function.offset * constants->factor + constants->offset};
    value = graph.node(reader).outputs.front();
    reader = graph.only_reader(value);
  }
  if (!graph.is(reader, "mul")) return {};
  const auto other = other_operand(graph, reader, value);
  if (!other) return {};
  // The other factor is x, or x times a constant.
  std::vector<std::pair<ValueId, double>> factors{{*other, 1.0}};
  const int scaled = graph.producer(*other);
  if (const auto constants = affine(graph, scaled); constants && constants->offset == 0)
    factors.emplace_back(graph.node(scaled).inputs.front(), constants->factor);
  std::vector<Gate> found;
  for (const auto& [x, factor] : factors) {
    const auto argument = polynomial(graph, graph.node(inner).inputs.front(), x);
    if (!argument) continue;
    Gate gate{.x = x,
              .argument = *argument,
              .of_function = {of_function.factor * factor, of_function.offset * factor},
              .last = reader};
    if (!graph.chain(gate.last, {x}).empty()) found.push_back(gate);
    // A constant may also come last.
    const int after = graph.only_reader(graph.node(reader).outputs.front());
    const auto constants = affine(graph, after);
    if (!constants || constants->offset != 0) continue;
    gate.of_function = {gate.of_function.factor * constants->factor,
                        gate.of_function.offset * constants->factor};
    gate.last = after;
    if (!graph.chain(gate.last, {x}).empty()) found.push_back(gate);
  }
  return found;
}

int fuse_gates(Rewriter& graph, const GatePattern& pattern) {
  int count = 0;
  for (int index = 0; index < graph.size(); ++index) {
    if (!graph.is(index, pattern.function)) continue;
    for (const Gate& gate : gates(graph, index, index)) {
      const bool fits = near(gate.argument, pattern.argument) &&
                        near(gate.of_function.factor, pattern.of_function.factor) &&
                        near(gate.of_function.offset, pattern.of_function.offset);
      if (!fits) continue;
      graph.replace(gate.last, pattern.op, {}, {gate.x});
      ++count;
      break;
    }
  }
  return count;
}

}  // namespace roofcast::onnx
