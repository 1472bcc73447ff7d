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
  const std::vector<ValueId> inputs = graph.node(difference).inputs;
  return row_mean_of(graph, inputs[1]) == inputs[0] ? std::optional{inputs[0]} : std::nullopt;
}

// TensorFlow multiplies out: x s + (b - mean(x) s), where s = w / sqrt(...).
bool fuse_multiplied_out(Rewriter& graph, int last) {
  if (!graph.is(last, "add")) return false;
  const std::vector<ValueId> terms = graph.node(last).inputs;
  for (const std::size_t first : {0U, 1U}) {
    const int scaled = graph.producer(terms[first], "mul");
    const int shift = graph.producer(terms[1 - first], "sub");
    if (scaled == no_node || shift == no_node) continue;
    const int scaled_mean = graph.producer(graph.node(shift).inputs[1], "mul");
    if (scaled_mean == no_node) continue;
    for (const ValueId mean : graph.node(scaled_mean).inputs) {
      const auto x = row_mean_of(graph, mean);
      const auto scale = x ? other_operand(graph, scaled, *x) : std::nullopt;
      if (!scale || other_operand(graph, scaled_mean, mean) != scale) continue;
      const int product = graph.producer(*scale, "mul");
      if (product == no_node) continue;
      const Expr count = graph.shape(*x).back();
      ScaleAndOffset learned{.last = last,
                             .offset = stored_vector(graph, graph.node(shift).inputs[0], count, 1)};
      std::vector<ValueId> boundary{*x, graph.node(shift).inputs[0]};
      for (const ValueId root : graph.node(product).inputs) {
        const auto squared = below_reciprocal_root(graph, root);
        const auto weight = other_operand(graph, product, root);
        if (!squared || !weight || centered(graph, *squared) != x) continue;
        learned.scale = stored_vector(graph, *weight, count, 1);
        boundary.push_back(*weight);
        break;
      }
      if (learned.scale == no_node || learned.offset == no_node || graph.chain(last, boundary).empty())
        continue;
      replace_by_norm(graph, last, "layer_norm", {}, *x, learned);
      return true;
    }
  }
  return false;
}

}  // namespace

int fuse_layer_norm(Rewriter& graph) {
  int count = 0;
  for (int index = 0; index < graph.size(); ++index) {
    if (fuse_multiplied_out(graph, index)) {
      ++count;
      continue;
    }
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
