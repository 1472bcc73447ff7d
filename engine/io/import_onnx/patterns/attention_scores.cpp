#include "engine/io/import_onnx/patterns/attention_scores.hpp"

#include <algorithm>

#include "engine/io/import_onnx/patterns/matching.hpp"

namespace roofcast::onnx {
namespace {

constexpr int deepest_scores = 12;

bool is_function(const Rewriter& graph, int node, std::string_view function) {
  return graph.is(node, "pointwise") && graph.node(node).attributes.word("function") == function;
}

// Where sizes are only equal by value, arithmetic is imported as `pointwise`.
bool is_either(const Rewriter& graph, int node, std::string_view op, std::string_view function) {
  return graph.is(node, op) || is_function(graph, node, function);
}

bool may_match(const Shape& left, const Shape& right) {
  return std::ranges::equal(left, right, [](const Expr& a, const Expr& b) { return may_be_equal(a, b); });
}

// A view that leaves queries and keys where they are.
bool keeps_matrices(const Rewriter& graph, int node) {
  if (!graph.is(node, "reshape")) return false;
  const Shape before = graph.shape(graph.node(node).inputs.front());
  const Shape after = graph.shape(graph.node(node).outputs.front());
  return before.size() >= 2 && after.size() >= 2 && from_end(before, 1) == from_end(after, 1) &&
         from_end(before, 2) == from_end(after, 2);
}

bool passes_on(const Rewriter& graph, int node) {
  return graph.is(node, "dropout") || graph.is(node, "identity") || graph.is(node, "contiguous") ||
         keeps_matrices(graph, node);
}

// One number that is not learned.
bool is_number(const Rewriter& graph, ValueId value) {
  return elements(graph.shape(value)).is(1) && graph.producer(value, "parameter") == no_node;
}

// The same for all heads, one value for each pair of positions: a mask to multiply with.
bool is_mask(const Rewriter& graph, ValueId value, const Shape& scores) {
  const Shape shape = graph.shape(value);
  if (shape.size() < 2 || !may_be_equal(from_end(shape, 1), from_end(scores, 1))) return false;
  return shape.size() == 2 || from_end(shape, 3).is(1);
}

// Back from the softmax to the product, over what scales and masks the scores. Only the chain may read them.
// With `masked`, a bias has been seen.
std::optional<Scores> search(const Rewriter& graph, ValueId value, RegionId region, bool masked, int depth) {
  const int index = graph.producer(value);
  const Shape shape = graph.shape(value);
  if (depth > deepest_scores || index == no_node || graph.only_reader(value) == no_node || shape.size() < 2 ||
      graph.node(index).region != region) {
    return std::nullopt;
  }
  const auto further = [&](ValueId input, bool and_masked) {
    auto found = search(graph, input, region, and_masked, depth + 1);
    if (found && !found->sizes && shape.size() == 4)
      found->sizes = BatchAndHeads{.batch = shape[0], .heads = shape[1]};
    return found;
  };
  if (graph.is(index, "matmul")) {
    Scores found{.product = index};
    if (shape.size() == 4) found.sizes = BatchAndHeads{.batch = shape[0], .heads = shape[1]};
    return found;
  }
  const std::vector<ValueId> inputs = graph.node(index).inputs;
  if (passes_on(graph, index)) return further(inputs.front(), masked);
  if (const auto constants = affine(graph, index))
    return constants->offset == 0 ? further(inputs.front(), masked) : std::nullopt;
  const auto biased = [&](ValueId scores, ValueId bias) -> std::optional<Scores> {
    if (!may_match(graph.shape(scores), shape)) return std::nullopt;
    auto found = further(scores, true);
    if (found) found->biases.push_back({bias, shape});
    return found;
  };
  if (is_function(graph, index, "Where")) {  // condition, then, else
    auto found = biased(inputs[1], inputs[0]);
    return found ? found : biased(inputs[2], inputs[0]);
  }
  if (inputs.size() != 2) return std::nullopt;
  if (is_either(graph, index, "sub", "Sub")) return biased(inputs[0], inputs[1]);
  if (is_either(graph, index, "add", "Add")) {
    auto found = biased(inputs[0], inputs[1]);
    return found ? found : biased(inputs[1], inputs[0]);
  }
  const bool product = is_either(graph, index, "mul", "Mul");
  const bool commutes = product || is_function(graph, index, "Max") || is_function(graph, index, "Min");
  if (!commutes && !graph.is(index, "div")) return std::nullopt;
  for (const std::size_t scores : {0U, 1U}) {
    if (scores == 1 && !commutes) break;
    const ValueId other = inputs[1 - scores];
    const bool fits = is_number(graph, other) || (masked && product && is_mask(graph, other, shape));
    if (!fits || !may_match(graph.shape(inputs[scores]), shape)) continue;
    if (auto found = further(inputs[scores], masked)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Scores> scores_behind(const Rewriter& graph, ValueId value, RegionId region) {
  return search(graph, value, region, false, 0);
}

std::optional<Weighted> product_after(const Rewriter& graph, ValueId weights, RegionId region) {
  bool swapped = false;
  for (int step = 0; step < deepest_scores; ++step) {
    const std::vector<int> readers = graph.readers(weights);
    int reader = graph.only_reader(weights);
    if (reader == no_node && readers.size() == 2 && !graph.leaves(weights)) {
      // Rows without any key are no numbers, and newer exporters put zeros in their place.
      for (const int test : readers) {
        const int other = readers[0] == test ? readers[1] : readers[0];
        if (is_function(graph, test, "IsNaN") && is_function(graph, other, "Where") &&
            graph.only_reader(graph.node(test).outputs.front()) == other) {
          reader = other;
        }
      }
      if (reader == no_node) return std::nullopt;
      weights = graph.node(reader).outputs.front();
      continue;
    }
    if (reader == no_node || graph.node(reader).region != region) return std::nullopt;
    const roofcast::Node node = graph.node(reader);
    if (graph.is(reader, "matmul")) {
      if (node.inputs[0] == node.inputs[1]) return std::nullopt;
      const bool first = node.inputs[0] == weights;
      const bool transposed = node.attributes.flag(first ? "transpose_a" : "transpose_b") != swapped;
      if (first == transposed) return std::nullopt;  // sums over queries
      return Weighted{.product = reader, .turned = !first};
    }
    if (graph.is(reader, "permute")) {
      const std::vector<Expr> axes = node.attributes.sizes("axes");
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t wanted = i + 2 < axes.size() ? i : 2 * axes.size() - 3 - i;
        if (!axes[i].is(static_cast<std::int64_t>(wanted))) return std::nullopt;
      }
      swapped = !swapped;
    } else if (!passes_on(graph, reader)) {
      return std::nullopt;
    }
    weights = node.outputs.front();
  }
  return std::nullopt;
}

}  // namespace roofcast::onnx
