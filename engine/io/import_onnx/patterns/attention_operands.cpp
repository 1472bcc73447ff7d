#include "engine/io/import_onnx/patterns/attention_operands.hpp"

#include "engine/io/import_onnx/patterns/matching.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast::onnx {
namespace {

std::vector<std::size_t> axes_of(const Rewriter& graph, int permute) {
  std::vector<std::size_t> axes;
  for (const Expr& axis : graph.node(permute).attributes.sizes("axes"))
    axes.push_back(static_cast<std::size_t>(axis.constant()));
  return axes;
}

ValueId input_of(const Rewriter& graph, int node) {
  return graph.node(node).inputs.front();
}

bool renames(const Rewriter& graph, int node) {
  return graph.is(node, "identity") || graph.is(node, "dropout");
}

// An operator's own result, seen in other dimensions: its elements lie in order.
bool in_order(const Rewriter& graph, ValueId value) {
  int node = graph.producer(value);
  while (graph.is(node, "reshape")) node = graph.producer(input_of(graph, node));
  return graph.is(node, "attention");
}

}  // namespace

ValueId Views::add(std::string_view op, Attributes attributes, ValueId value) {
  made_.push_back(graph_->size());
  return graph_->add(before_, op, std::move(attributes), {value});
}

void Views::drop_unread() {
  for (auto node = made_.rbegin(); node != made_.rend(); ++node) graph_->drop_if_unread(*node);
  made_.clear();
}

ValueId Views::reshaped(ValueId value, const Shape& shape) {
  while (graph_->shape(value) != shape) {
    const int node = graph_->producer(value, "reshape");
    if (node == no_node) return add("reshape", rules::shape_attribute(shape), value);
    value = input_of(*graph_, node);
  }
  return value;
}

ValueId Views::permuted(ValueId value, const std::vector<std::size_t>& axes) {
  std::vector<std::size_t> order = axes;
  if (const int node = graph_->producer(value, "permute"); node != no_node) {
    const std::vector<std::size_t> inner = axes_of(*graph_, node);
    for (std::size_t& axis : order) axis = inner[axis];
    value = input_of(*graph_, node);
  }
  bool moves = false;
  std::vector<Expr> sizes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    moves = moves || order[i] != i;
    sizes.emplace_back(static_cast<std::int64_t>(order[i]));
  }
  if (!moves) return value;
  Attributes attributes;
  attributes.set("axes", sizes);
  return add("permute", std::move(attributes), value);
}

ValueId Views::expanded(ValueId value, const Shape& shape) {
  if (graph_->shape(value) == shape) return value;
  return add("strided_view", rules::shape_attribute(shape), value);
}

ValueId Views::without_copies(ValueId value, bool scales) {
  const int node = graph_->producer(value);
  if (node == no_node) return value;
  const auto constants = affine(*graph_, node);
  if (graph_->is(node, "contiguous") || renames(*graph_, node) ||
      (scales && constants && constants->offset == 0)) {
    return without_copies(input_of(*graph_, node), scales);
  }
  if (!graph_->is(node, "reshape") && !graph_->is(node, "permute")) return value;
  const ValueId input = input_of(*graph_, node);
  const ValueId source = without_copies(input, scales);
  if (source == input) return value;
  return graph_->is(node, "reshape") ? reshaped(source, graph_->shape(value))
                                     : permuted(source, axes_of(*graph_, node));
}

std::optional<Unrepeated> unrepeated(Views& views, ValueId value, std::size_t axis) {
  Rewriter& graph = views.graph();
  const int node = graph.producer(value);
  if (graph.is(node, "permute")) {
    const std::vector<std::size_t> axes = axes_of(graph, node);
    const auto found = unrepeated(views, input_of(graph, node), axes[axis]);
    if (!found) return std::nullopt;
    return Unrepeated{.value = views.permuted(found->value, axes), .heads = found->heads};
  }
  Shape shape = graph.shape(value);
  if (graph.is(node, "strided_view")) {  // one head for all
    Shape before = shape;
    before[axis] = Expr{1};
    const ValueId source = input_of(graph, node);
    if (graph.shape(source) != before || shape[axis].is(1)) return std::nullopt;
    return Unrepeated{.value = source};
  }
  if (!graph.is(node, "reshape")) return std::nullopt;
  // [..., heads, 1, ...] stretched to [..., heads, times, ...], then folded.
  const int copy = graph.producer(input_of(graph, node), "contiguous");
  const ValueId folded = copy == no_node ? input_of(graph, node) : input_of(graph, copy);
  const int stretched = graph.producer(folded, "strided_view");
  if (stretched == no_node) return std::nullopt;
  const ValueId source = input_of(graph, stretched);
  Shape times = graph.shape(folded);
  Shape once = graph.shape(source);
  if (times.size() != shape.size() + 1 || once.size() != times.size() || !once[axis + 1].is(1))
    return std::nullopt;
  const Expr own = once[axis];
  if (!(own * times[axis + 1] == shape[axis])) return std::nullopt;
  shape[axis] = own;
  const auto behind = static_cast<std::ptrdiff_t>(axis) + 1;
  times.erase(times.begin() + behind);
  once.erase(once.begin() + behind);
  if (times != shape || once != shape) return std::nullopt;
  return Unrepeated{.value = views.reshaped(source, shape), .heads = own};
}

std::optional<BatchAndHeads> batch_and_heads(const Rewriter& graph, ValueId value) {
  const Expr both = graph.shape(value).front();
  while (graph.producer(value) != no_node) {
    const int node = graph.producer(value);
    if (graph.is(node, "reshape")) {
      const Shape before = graph.shape(input_of(graph, node));
      if (before.size() == 4 && before[0] * before[1] == both)
        return BatchAndHeads{.batch = before[0], .heads = before[1]};
    } else if (graph.is(node, "permute")) {
      if (axes_of(graph, node).front() != 0) return std::nullopt;
    } else if (!graph.is(node, "contiguous") && !graph.is(node, "scale") && !renames(graph, node)) {
      return std::nullopt;
    }
    value = input_of(graph, node);
    if (graph.shape(value).empty() || !(graph.shape(value).front() == both)) return std::nullopt;
  }
  return std::nullopt;
}

void continue_from(Views& views, ValueId from, ValueId to) {
  Rewriter& graph = views.graph();
  if (graph.leaves(from)) {
    graph.replace(graph.producer(from), "identity", {}, {to});
    return;
  }
  const std::vector<int> readers = graph.readers(from);
  for (const int reader : readers) {
    if (!graph.still_there(reader)) continue;
    const ValueId result = graph.node(reader).outputs.front();
    if (graph.is(reader, "permute")) {
      continue_from(views, result, views.permuted(to, axes_of(graph, reader)));
    } else if (graph.is(reader, "reshape")) {
      continue_from(views, result, views.reshaped(to, graph.shape(result)));
    } else if (graph.is(reader, "identity") || (graph.is(reader, "contiguous") && in_order(graph, to))) {
      continue_from(views, result, to);
    } else {
      graph.redirect(reader, from, to);
    }
  }
}

}  // namespace roofcast::onnx
