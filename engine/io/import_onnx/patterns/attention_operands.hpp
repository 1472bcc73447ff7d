#pragma once
// Queries, keys and values as exporters lay them out -> [batch, length, heads * size], as `attention` has
// them.

#include <optional>
#include <vector>

#include "engine/io/import_onnx/patterns/rewriter.hpp"

namespace roofcast::onnx {

/// Makes views right before one node; what is that view already is not made again.
class Views {
 public:
  Views(Rewriter& graph, int before) : graph_(&graph), before_(before) {}

  ValueId reshaped(ValueId value, const Shape& shape);
  ValueId permuted(ValueId value, const std::vector<std::size_t>& axes);
  ValueId expanded(ValueId value, const Shape& shape);
  /// The value before copies that only put it into order; with `scales` also before constant factors.
  ValueId without_copies(ValueId value, bool scales);
  Rewriter& graph() { return *graph_; }
  /// Views that nothing came to read go again.
  void drop_unread();

 private:
  ValueId add(std::string_view op, Attributes attributes, ValueId value);

  Rewriter* graph_;
  int before_;
  std::vector<int> made_{};
};

/// Keys or values of fewer heads than there are queries, before they were repeated.
struct Unrepeated {
  ValueId value = 0;
  Expr heads{1};
};

/// `value` has its heads along dimension `axis`. Nothing if they were not repeated.
std::optional<Unrepeated> unrepeated(Views& views, ValueId value, std::size_t axis);

/// The batch and the heads that the first dimension of a [batch * heads, ...] was made of.
struct BatchAndHeads {
  Expr batch{1};
  Expr heads{1};
};
std::optional<BatchAndHeads> batch_and_heads(const Rewriter& graph, ValueId value);

/// Everything that reads `from`, over further views, reads views of `to` instead. A copy of what is in order
/// already goes.
void continue_from(Views& views, ValueId from, ValueId to);

}  // namespace roofcast::onnx
