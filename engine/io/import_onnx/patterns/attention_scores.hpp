#pragma once
// The chain around a softmax: back to the product of queries and keys, on to the product with the values.

#include <optional>
#include <vector>

#include "engine/io/import_onnx/patterns/attention_operands.hpp"

namespace roofcast::onnx {

/// The dimension `index` from the end, the last one being 1.
inline const Expr& from_end(const Shape& shape, std::size_t index) {
  return shape[shape.size() - index];
}

/// Equal, or it takes values to tell.
inline bool may_be_equal(const Expr& left, const Expr& right) {
  return left == right || !left.is_constant() || !right.is_constant();
}

/// What is added to the scores, or says which of them count, where they have the shape `scores`.
struct Bias {
  ValueId value = no_value;
  Shape scores{};
};

struct Scores {
  int product = no_node;  ///< of queries and keys
  std::vector<Bias> biases{};
  std::optional<BatchAndHeads> sizes{};  ///< if the scores are four-dimensional anywhere
};

/// Back from `value`, what the softmax reads, over what scales and masks the scores. Nothing if it leads
/// elsewhere or if others need a value on the way.
std::optional<Scores> scores_behind(const Rewriter& graph, ValueId value, RegionId region);

/// The product with the values: P v, or with `turned` v^T P^T.
struct Weighted {
  int product = no_node;
  bool turned = false;
};

/// On from `weights`, what the softmax gives.
std::optional<Weighted> product_after(const Rewriter& graph, ValueId weights, RegionId region);

}  // namespace roofcast::onnx
