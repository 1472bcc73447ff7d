#include "engine/io/import_onnx/patterns/row_norm.hpp"

namespace roofcast::onnx {
namespace {

// What is squared if `value` is mean(squared^2) + epsilon.
std::optional<ValueId> below_mean(const Rewriter& graph, ValueId value) {
  const int shifted = graph.producer(value);
  const auto epsilon = affine(graph, shifted);
  if (!epsilon || epsilon->factor != 1 || epsilon->offset <= 0) return std::nullopt;
  const auto square = row_mean_of(graph, graph.node(shifted).inputs.front());
  const int product = square ? graph.producer(*square, "mul") : no_node;
  if (product == no_node) return std::nullopt;
  const std::vector<ValueId> factors = graph.node(product).inputs;
  return factors[0] == factors[1] ? std::optional{factors[0]} : std::nullopt;
}

std::optional<ValueId> below_root(const Rewriter& graph, ValueId value) {
  const int root = graph.producer(value, "sqrt");
  if (root == no_node) return std::nullopt;
  return below_mean(graph, graph.node(root).inputs.front());
}

}  // namespace

std::optional<ValueId> below_reciprocal_root(const Rewriter& graph, ValueId value) {
  const int index = graph.producer(value);
  if (graph.is(index, "pow") && graph.node(index).attributes.number("exponent") == -0.5)
    return below_mean(graph, graph.node(index).inputs.front());
  if (!graph.is(index, "pointwise") || graph.node(index).attributes.word("function") != "Reciprocal")
    return std::nullopt;
  return below_root(graph, graph.node(index).inputs.front());
}

std::optional<ValueId> row_mean_of(const Rewriter& graph, ValueId value) {
  const int mean = graph.producer(value, "mean");
  if (mean == no_node) return std::nullopt;
  const roofcast::Node node = graph.node(mean);
  const auto rank = static_cast<std::int64_t>(graph.shape(node.inputs.front()).size());
  const Expr axis = node.attributes.size("axis", Expr{-1});
  if (!node.attributes.flag("keep") || !(axis.is(-1) || axis.is(rank - 1))) return std::nullopt;
  return node.inputs.front();
}

std::optional<RootMeanSquare> root_mean_square(const Rewriter& graph, int last) {
  const bool quotient = graph.is(last, "div");
  if (!quotient && !graph.is(last, "mul")) return std::nullopt;
  const std::vector<ValueId> inputs = graph.node(last).inputs;
  for (const std::size_t numerator : {0U, 1U}) {
    if (quotient && numerator == 1) break;
    const ValueId divisor = inputs[1 - numerator];
    const auto squared = quotient ? below_root(graph, divisor) : below_reciprocal_root(graph, divisor);
    if (squared) return RootMeanSquare{.numerator = inputs[numerator], .squared = *squared};
  }
  return std::nullopt;
}

}  // namespace roofcast::onnx
