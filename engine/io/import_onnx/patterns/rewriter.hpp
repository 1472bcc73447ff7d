#pragma once
// What patterns look at and change: who makes a value, who reads it, and one operator in place of many.

#include <string_view>
#include <vector>

#include "engine/graph/graph.hpp"
#include "engine/io/import_onnx/onnx_value.hpp"

namespace roofcast::onnx {

inline constexpr int no_node = -1;

/// A graph in which operators are replaced while it is searched. A node whose results nobody reads any more
/// goes at once, and with it what only it has read, so the readers of a value are always those that count.
/// Indices of nodes stay valid until `finish`; a reference to a node only until the next `add`.
class Rewriter {
 public:
  /// `types` are those of the graph's values. Needs: every node contributes to an output.
  Rewriter(roofcast::Graph graph, std::vector<TensorType> types);

  int size() const { return static_cast<int>(graph_.nodes.size()); }
  const roofcast::Node& node(int index) const { return graph_.nodes[static_cast<std::size_t>(index)]; }
  bool still_there(int index) const { return !gone_[static_cast<std::size_t>(index)]; }
  /// Whether the node is still there and is this operator.
  bool is(int index, std::string_view op) const;

  Shape shape(ValueId value) const { return types_[static_cast<std::size_t>(value)].shape; }
  bool is_real(ValueId value) const { return !types_[static_cast<std::size_t>(value)].dtype; }
  /// The node that makes it, or `no_node` for an input.
  int producer(ValueId value) const { return producer_[static_cast<std::size_t>(value)]; }
  /// The same if it is this operator, else `no_node`.
  int producer(ValueId value, std::string_view op) const;
  /// Once for each input that it is.
  std::vector<int> readers(ValueId value) const { return readers_[static_cast<std::size_t>(value)]; }
  /// An output of the graph, or handed on by a block that repeats.
  bool leaves(ValueId value) const { return leaves_[static_cast<std::size_t>(value)]; }
  /// The only node that reads it, or `no_node` if there are others or it leaves.
  int only_reader(ValueId value) const;
  /// Whether other nodes name this one as the owner of their weights.
  bool owns_for_others(int index) const { return borrowers_[static_cast<std::size_t>(index)] > 0; }

  /// The nodes from `last` back to the values `from`, `last` included; empty if there are more than a pattern
  /// has, if any of them is needed elsewhere too, or if a block begins or ends between them.
  std::vector<int> chain(int last, const std::vector<ValueId>& from) const;

  /// A new node with one result, right before node `before` and in its block.
  ValueId add(int before, std::string_view op, Attributes attributes, std::vector<ValueId> inputs);
  /// Another operator with the results of this one.
  void replace(int index, std::string_view op, Attributes attributes, std::vector<ValueId> inputs);
  /// `index` makes the result of `reader`, the only one that reads its own; `reader` goes.
  void take_result_of(int index, int reader);
  void drop_if_unread(int index);
  /// `reader` reads `to` wherever it has read `from`.
  void redirect(int reader, ValueId from, ValueId to);
  void set_attribute(int index, std::string name, Attribute value);
  void share_weights(int index, int owner);

  /// The graph without what is gone, new nodes where they belong.
  roofcast::Graph finish();

 private:
  roofcast::Node& at(int index) { return graph_.nodes[static_cast<std::size_t>(index)]; }
  void read(int index, const std::vector<ValueId>& inputs);
  void forget(int index, const std::vector<ValueId>& inputs);
  bool is_needed(int index) const;
  void drop_unread();

  roofcast::Graph graph_;
  std::vector<TensorType> types_;
  std::vector<int> producer_{};
  std::vector<std::vector<int>> readers_{};
  std::vector<bool> leaves_{};
  std::vector<bool> gone_{};
  std::vector<int> unread_{};     ///< nodes that may have to go
  std::vector<int> borrowers_{};  ///< for each node how many share its weights
  std::vector<int> before_{};     ///< for each node the old one that it stands before, or itself
};

}  // namespace roofcast::onnx
