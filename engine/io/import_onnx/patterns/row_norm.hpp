#pragma once
// What LayerNorm and RMSNorm share: a row divided by the root of a mean of squares.

#include "engine/io/import_onnx/patterns/matching.hpp"

namespace roofcast::onnx {

/// numerator / sqrt(mean(squared^2) + epsilon), the mean over the last dimension.
struct RootMeanSquare {
  ValueId numerator = no_value;
  ValueId squared = no_value;
};

/// Whether node `last` ends such a quotient: `numerator / root`, or times its reciprocal.
std::optional<RootMeanSquare> root_mean_square(const Rewriter& graph, int last);

/// What is squared if `value` is 1 / sqrt(mean(squared^2) + epsilon).
std::optional<ValueId> below_reciprocal_root(const Rewriter& graph, ValueId value);

/// The value whose mean over the last dimension, with that dimension kept, `value` is.
std::optional<ValueId> row_mean_of(const Rewriter& graph, ValueId value);

}  // namespace roofcast::onnx
