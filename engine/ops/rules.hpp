#pragma once
// The pieces that shape rules, gradients and kernels of many operators share.

#include <fmt/format.h>

#include <initializer_list>

#include "engine/ops/operator.hpp"

namespace roofcast::rules {

/// The error of a shape rule, at the node.
tl::unexpected<Diagnostics> reject(const NodeView& node, std::string message, std::string hint = {});

/// Notes that two dimensions must be equal; nothing to note when they are the same expression.
void require_equal(Inference& inference, const NodeView& node, const Expr& left, const Expr& right,
                   std::string_view what);

/// All dimensions of two shapes equal; differing ranks are an error.
Result<void> require_same_shape(Inference& inference, const NodeView& node, const Shape& left,
                                const Shape& right, std::string_view what);

/// The shape of an elementwise result: ranks align at the end, a dimension that is the constant 1 stretches.
Result<Shape> broadcast(Inference& inference, const NodeView& node, const Shape& left, const Shape& right);

Result<void> require_rank(const NodeView& node, int input, std::size_t least, std::string_view form);

/// One output like input 0, real-valued, in its own storage or, with `inplace = true`, in that of the input.
Result<Inference> like_first_input(const NodeView& node);
/// One output with the attribute `shape` and, unless it is real-valued, the attribute `dtype`.
Result<Inference> like_shape_attribute(const NodeView& node);

/// A kernel that passes over memory. `operations` is per element of output 0 unless that is meant otherwise.
KernelSpec stream(std::string_view name, StreamKind kind, const Expr& elements,
                  std::int64_t operations_per_element, std::vector<Access> reads, std::vector<Access> writes);

/// A kernel that multiplies matrices; counts its multiply-adds.
KernelSpec gemm(std::string_view name, const Gemm<Expr>& sizes, std::vector<Access> reads,
                std::vector<Access> writes);

/// All inputs, then all parameters.
std::vector<Access> everything_read(const NodeView& node);
std::vector<Access> whole(std::initializer_list<Operand> operands);

/// The gradient of an elementwise operand whose shape was stretched: `step` summed back to it when shapes
/// differ. Appends to `steps` and points the last step at `target`.
void finish_broadcast(std::vector<GradientStep>& steps, const Shape& result, const Shape& operand,
                      const Operand& target);

Attributes shape_attribute(const Shape& shape);

/// The number of leading dimensions' elements and the size of the last dimension.
Expr rows(const Shape& shape);

/// How many of `keys` a query sees at most under a sliding window; a window of 0 is none.
Expr visible_keys(const Expr& window, const Expr& keys);

/// Normalises an axis attribute: -1 is the last. An axis out of range is an error.
Result<std::size_t> axis(const NodeView& node, std::string_view attribute, std::int64_t fallback,
                         std::size_t rank);

/// No kernels: a view.
std::vector<KernelSpec> no_kernels(const NodeView& node);
/// No gradient flows through: indices, masks.
std::vector<GradientStep> no_gradient(const NodeView& node);

}  // namespace roofcast::rules
