#include "engine/io/import_onnx/patterns/matching.hpp"

#include <algorithm>
#include <cmath>

namespace roofcast::onnx {

std::optional<Affine> affine(const Rewriter& graph, int node) {
  if (!graph.is(node, "scale")) return std::nullopt;
  const Attributes& attributes = graph.node(node).attributes;
  if (!attributes.has("factor") && !attributes.has("offset")) return std::nullopt;
  return Affine{.factor = attributes.number("factor", 1), .offset = attributes.number("offset", 0)};
}

bool near(double value, double wanted) {
  constexpr double tolerance = 2e-3;
  return std::abs(value - wanted) <= tolerance * std::max(std::abs(wanted), 1e-3);
}

std::optional<ValueId> other_operand(const Rewriter& graph, int node, ValueId value) {
  const std::vector<ValueId> inputs = graph.node(node).inputs;
  if (inputs.size() != 2 || (inputs[0] == value) == (inputs[1] == value)) return std::nullopt;
  return inputs[inputs[0] == value ? 1 : 0];
}

int stored_vector(const Rewriter& graph, ValueId value, const Expr& count, std::size_t from_end) {
  const Shape shape = graph.shape(value);
  if (shape.size() < from_end || !(shape[shape.size() - from_end] == count)) return no_node;
  if (!(elements(shape) == count)) return no_node;
  int node = graph.producer(value);
  while (graph.is(node, "reshape")) node = graph.producer(graph.node(node).inputs.front());
  return graph.is(node, "parameter") || graph.is(node, "constant") ? node : no_node;
}

ScaleAndOffset scale_and_offset(const Rewriter& graph, ValueId value, const Expr& count,
                                std::size_t from_end) {
  const auto next = [&](ValueId of, std::string_view op) -> std::pair<int, int> {
    const int reader = graph.only_reader(of);
    if (!graph.is(reader, op)) return {no_node, no_node};
    const auto other = other_operand(graph, reader, of);
    const bool keeps_shape = graph.shape(graph.node(reader).outputs.front()) == graph.shape(of);
    const int stored = other && keeps_shape ? stored_vector(graph, *other, count, from_end) : no_node;
    return {stored == no_node ? no_node : reader, stored};
  };
  ScaleAndOffset found;
  const auto [product, scale] = next(value, "mul");
  if (product == no_node) return found;
  found = {.last = product, .scale = scale};
  const auto [sum, offset] = next(graph.node(product).outputs.front(), "add");
  if (sum != no_node) {
    found.last = sum;
    found.offset = offset;
  }
  return found;
}

void replace_by_norm(Rewriter& graph, int last, std::string_view op, Attributes attributes, ValueId input,
                     const ScaleAndOffset& learned) {
  const bool has_scale = learned.scale != no_node;
  if (!has_scale) attributes.set("weight", false);
  if (op == "layer_norm") attributes.set("bias", learned.offset != no_node);
  graph.replace(last, op, std::move(attributes), {input});
  // Others use the same scale: its node stays, and this one shares it.
  if (has_scale && graph.still_there(learned.scale)) graph.share_weights(last, learned.scale);
}

}  // namespace roofcast::onnx
