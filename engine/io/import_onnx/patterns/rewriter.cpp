#include "engine/io/import_onnx/patterns/rewriter.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace roofcast::onnx {
namespace {

// More than any pattern has; a search that runs further has left it.
constexpr std::size_t longest_chain = 40;

}  // namespace

Rewriter::Rewriter(roofcast::Graph graph, std::vector<TensorType> types)
    : graph_(std::move(graph)),
      types_(std::move(types)),
      producer_(graph_.values.size(), no_node),
      readers_(graph_.values.size()),
      leaves_(graph_.values.size(), false),
      gone_(graph_.nodes.size(), false),
      borrowers_(graph_.nodes.size(), 0),
      before_(graph_.nodes.size()) {
  std::iota(before_.begin(), before_.end(), 0);
  for (int i = 0; i < size(); ++i) {
    for (const ValueId output : node(i).outputs) producer_[static_cast<std::size_t>(output)] = i;
    read(i, node(i).inputs);
    if (node(i).weights_of >= 0) ++borrowers_[static_cast<std::size_t>(node(i).weights_of)];
  }
  const auto leave = [&](ValueId value) { leaves_[static_cast<std::size_t>(value)] = true; };
  for (const ValueId output : graph_.outputs) leave(output);
  if (graph_.loss) leave(*graph_.loss);
  for (const Region& region : graph_.regions) {
    for (const Carry& carry : region.carries) {
      leave(carry.initial);
      leave(carry.next);
    }
  }
}

bool Rewriter::is(int index, std::string_view op) const {
  return index != no_node && !gone_[static_cast<std::size_t>(index)] && node(index).op->name == op;
}

int Rewriter::producer(ValueId value, std::string_view op) const {
  const int index = producer(value);
  return is(index, op) ? index : no_node;
}

int Rewriter::only_reader(ValueId value) const {
  const std::vector<int>& all = readers(value);
  if (leaves(value) || all.empty()) return no_node;
  return std::ranges::all_of(all, [&](int index) { return index == all.front(); }) ? all.front() : no_node;
}

std::vector<int> Rewriter::chain(int last, const std::vector<ValueId>& from) const {
  std::vector<int> nodes{last};
  for (std::size_t next = 0; next < nodes.size(); ++next) {
    for (const ValueId input : node(nodes[next]).inputs) {
      if (std::ranges::find(from, input) != from.end()) continue;
      const int index = producer(input);
      if (index == no_node || nodes.size() > longest_chain) return {};
      if (std::ranges::find(nodes, index) == nodes.end()) nodes.push_back(index);
    }
  }
  for (const int index : nodes) {
    if (node(index).region != node(last).region) return {};
    if (index == last) continue;
    for (const ValueId output : node(index).outputs) {
      const bool inside = std::ranges::all_of(
          readers(output), [&](int reader) { return std::ranges::find(nodes, reader) != nodes.end(); });
      if (!inside || leaves(output)) return {};
    }
  }
  return nodes;
}

void Rewriter::read(int index, const std::vector<ValueId>& inputs) {
  for (const ValueId input : inputs) readers_[static_cast<std::size_t>(input)].push_back(index);
}

bool Rewriter::is_needed(int index) const {
  return owns_for_others(index) || std::ranges::any_of(node(index).outputs, [&](ValueId output) {
           return leaves(output) || !readers(output).empty();
         });
}

void Rewriter::forget(int index, const std::vector<ValueId>& inputs) {
  for (const ValueId input : inputs) {
    auto& readers = readers_[static_cast<std::size_t>(input)];
    readers.erase(std::ranges::find(readers, index));
    if (readers.empty() && producer(input) != no_node) unread_.push_back(producer(input));
  }
}

void Rewriter::drop_unread() {
  while (!unread_.empty()) {
    const int candidate = unread_.back();
    unread_.pop_back();
    if (!still_there(candidate) || is_needed(candidate)) continue;
    gone_[static_cast<std::size_t>(candidate)] = true;
    if (const int owner = node(candidate).weights_of; owner >= 0)
      --borrowers_[static_cast<std::size_t>(owner)];
    forget(candidate, node(candidate).inputs);
  }
}

void Rewriter::drop_if_unread(int index) {
  unread_.push_back(index);
  drop_unread();
}

ValueId Rewriter::add(int before, std::string_view op, Attributes attributes, std::vector<ValueId> inputs) {
  const int index = size();
  roofcast::Node made{.name = node(before).name,
                      .op = find_operator(op),
                      .attributes = std::move(attributes),
                      .inputs = std::move(inputs),
                      .region = node(before).region,
                      .where = node(before).where};
  NodeView view{.name = made.name, .attributes = made.attributes, .where = made.where};
  for (const ValueId input : made.inputs) view.inputs.push_back(types_[static_cast<std::size_t>(input)]);
  const auto inference = made.op->infer(view);
  const auto value = static_cast<ValueId>(graph_.values.size());
  made.outputs = {value};
  graph_.values.push_back({made.name, made.where});
  types_.push_back(inference ? inference->outputs.front().type : TensorType{});
  producer_.push_back(index);
  readers_.emplace_back();
  leaves_.push_back(false);
  gone_.push_back(false);
  borrowers_.push_back(0);
  before_.push_back(before_[static_cast<std::size_t>(before)]);
  read(index, made.inputs);
  graph_.nodes.push_back(std::move(made));
  return value;
}

void Rewriter::replace(int index, std::string_view op, Attributes attributes, std::vector<ValueId> inputs) {
  read(index, inputs);
  at(index).op = find_operator(op);
  at(index).attributes = std::move(attributes);
  const std::vector<ValueId> before = std::exchange(at(index).inputs, std::move(inputs));
  forget(index, before);
  drop_unread();
}

void Rewriter::take_result_of(int index, int reader) {
  const std::vector<ValueId> inputs = node(reader).inputs;
  at(index).outputs = node(reader).outputs;
  producer_[static_cast<std::size_t>(node(index).outputs.front())] = index;
  gone_[static_cast<std::size_t>(reader)] = true;
  forget(reader, inputs);
  drop_unread();
}

void Rewriter::redirect(int reader, ValueId from, ValueId to) {
  std::vector<ValueId> before;
  for (ValueId& input : at(reader).inputs) {
    if (input != from) continue;
    before.push_back(from);
    input = to;
  }
  read(reader, std::vector<ValueId>(before.size(), to));
  forget(reader, before);
  drop_unread();
}

void Rewriter::set_attribute(int index, std::string name, Attribute value) {
  at(index).attributes.set(std::move(name), std::move(value));
}

void Rewriter::share_weights(int index, int owner) {
  at(index).weights_of = owner;
  ++borrowers_[static_cast<std::size_t>(owner)];
}

roofcast::Graph Rewriter::finish() {
  // A new node stands before the old one that it was made for; nodes for the same one in the order in which
  // they were made.
  std::vector<int> order(graph_.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int left, int right) {
    const int at_left = before_[static_cast<std::size_t>(left)];
    const int at_right = before_[static_cast<std::size_t>(right)];
    return at_left != at_right ? at_left < at_right : (left != at_left && right == at_right);
  });
  std::vector<int> renumbered(graph_.nodes.size(), no_node);
  std::vector<roofcast::Node> nodes;
  for (const int index : order) {
    if (gone_[static_cast<std::size_t>(index)]) continue;
    renumbered[static_cast<std::size_t>(index)] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(at(index)));
  }
  for (roofcast::Node& left : nodes) {
    if (left.weights_of >= 0) left.weights_of = renumbered[static_cast<std::size_t>(left.weights_of)];
  }
  graph_.nodes = std::move(nodes);
  return std::move(graph_);
}

}  // namespace roofcast::onnx
