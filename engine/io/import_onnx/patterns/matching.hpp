#pragma once
// What the patterns of several operators look for.

#include <optional>

#include "engine/io/import_onnx/patterns/rewriter.hpp"

namespace roofcast::onnx {

/// factor * x + offset
struct Affine {
  double factor = 1;
  double offset = 0;
};

/// What a `scale` computes, if its constant is known.
std::optional<Affine> affine(const Rewriter& graph, int node);

/// Constants are stored in half precision at worst.
bool near(double value, double wanted);

/// The operand of a product, a sum, ... that is not `value`; nothing if both or none are.
std::optional<ValueId> other_operand(const Rewriter& graph, int node, ValueId value);

/// A stored tensor of `count` elements along one dimension, counted from the end, and of size 1 along all
/// others: the node that holds it, behind views. Else `no_node`.
int stored_vector(const Rewriter& graph, ValueId value, const Expr& count, std::size_t from_end);

/// A learned scale, and an offset after it, that are applied to `value` alone.
struct ScaleAndOffset {
  int last = no_node;   ///< the node that makes the result
  int scale = no_node;  ///< the nodes that hold the tensors
  int offset = no_node;
};
/// `last` is `no_node` if nothing scales it.
ScaleAndOffset scale_and_offset(const Rewriter& graph, ValueId value, const Expr& count,
                                std::size_t from_end);

/// Replaces the chain that ends with `last` by a normalisation with these parameters.
void replace_by_norm(Rewriter& graph, int last, std::string_view op, Attributes attributes, ValueId input,
                     const ScaleAndOffset& learned);

}  // namespace roofcast::onnx
