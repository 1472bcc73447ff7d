// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon), then a learned scale and offset if there are any.
// Source: Ba, Kiros, Hinton, "Layer Normalization", 2016.

#include "engine/io/import_onnx/patterns/patterns.hpp"
#include "engine/io/import_onnx/patterns/row_norm.hpp"

namespace roofcast::onnx {
namespace {

// x if `value` is x - mean(x).
std::optional<ValueId> centered(const Rewriter& graph, ValueId value) {
  const int difference = graph.producer(value, "sub");
  if (difference == no_node) return std::nullopt;
  const std::vector<ValueId>& inputs = graph.node(difference).inputs;
  return row_mean_of(graph, inputs[1]) == inputs[0] ? std::optional{inputs[0]} : std::nullopt;
}

}  // namespace

int fuse_layer_norm(Rewriter& graph) {
  int count = 0;
  for (int index = 0; index < graph.size(); ++index) {
    const auto quotient = root_mean_square(graph, index);
    if (!quotient) continue;
    // Some exporters subtract the mean twice.
    const auto x = centered(graph, quotient->numerator);
    if (!x || centered(graph, quotient->squared) != x || graph.chain(index, {*x}).empty()) continue;
    const ValueId result = graph.node(index).outputs.front();
    const ScaleAndOffset learned = scale_and_offset(graph, result, graph.shape(*x).back(), 1);
    replace_by_norm(graph, learned.last == no_node ? index : learned.last, "layer_norm", {}, *x, learned);
    ++count;
  }
  return count;
}

}  // namespace roofcast::onnx
