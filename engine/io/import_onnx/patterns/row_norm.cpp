#include "engine/io/import_onnx/patterns/row_norm.hpp"

namespace roofcast::onnx {
namespace {

// What is squared if `value` is sqrt(mean(squared^2) + epsilon) or, with `reciprocal`, one over that.
std::optional<ValueId> squared_below_root(const Rewriter& graph, ValueId value, bool reciprocal) {
  int root = graph.producer(value);
  if (reciprocal) {
    if (graph.is(root, "pointwise") && graph.node(root).attributes.word("function") == "Reciprocal") {
      root = graph.producer(graph.node(root).inputs.front());
    } else if (!graph.is(root, "pow") || graph.node(root).attributes.number("exponent") != -0.5) {
      return std::nullopt;
    }
  }
  const bool is_root = graph.is(root, "sqrt") || (reciprocal && graph.is(root, "pow") &&
                                                  graph.node(root).attributes.number("exponent") == -0.5);
  if (!is_root) return std::nullopt;
  const int shifted = graph.producer(graph.node(root).inputs.front());
  const auto epsilon = affine(graph, shifted);
  if (!epsilon || epsilon->factor != 1 || epsilon->offset <= 0) return std::nullopt;
  const auto square = row_mean_of(graph, graph.node(shifted).inputs.front());
  if (!square) return std::nullopt;
  const int product = graph.producer(*square, "mul");
  if (product == no_node || graph.node(product).inputs[0] != graph.node(product).inputs[1])
    return std::nullopt;
  return graph.node(product).inputs[0];
}

}  // namespace

std::optional<ValueId> row_mean_of(const Rewriter& graph, ValueId value) {
  const int mean = graph.producer(value, "mean");
  if (mean == no_node) return std::nullopt;
  const roofcast::Node& node = graph.node(mean);
  const auto rank = static_cast<std::int64_t>(graph.shape(node.inputs.front()).size());
  const Expr axis = node.attributes.size("axis", Expr{-1});
  if (!node.attributes.flag("keep") || !(axis.is(-1) || axis.is(rank - 1))) return std::nullopt;
  return node.inputs.front();
}

std::optional<RootMeanSquare> root_mean_square(const Rewriter& graph, int last) {
  const bool quotient = graph.is(last, "div");
  if (!quotient && !graph.is(last, "mul")) return std::nullopt;
  const std::vector<ValueId>& inputs = graph.node(last).inputs;
  if (const auto squared = squared_below_root(graph, inputs[1], !quotient))
    return RootMeanSquare{.numerator = inputs[0], .squared = *squared};
  if (quotient) return std::nullopt;
  if (const auto squared = squared_below_root(graph, inputs[0], true))
    return RootMeanSquare{.numerator = inputs[1], .squared = *squared};
  return std::nullopt;
}

}  // namespace roofcast::onnx
