#pragma once
// Activations that are x times a function of x, as exporters spell them out.

#include <array>

#include "engine/io/import_onnx/patterns/matching.hpp"

namespace roofcast::onnx {

/// Coefficients of 1, x, x^2 and x^3.
using Polynomial = std::array<double, 4>;

bool near(const Polynomial& polynomial, const Polynomial& wanted);

/// x * (factor * f(argument(x)) + offset)
struct Gate {
  ValueId x = no_value;
  Polynomial argument{};
  Affine of_function{};
  int last = no_node;  ///< the node that makes the result
};

/// All ways to read the nodes around f, the operator `outer`, as a gate. f may be several operators in a row,
/// of which `inner` is the first. Empty if its inner values are needed elsewhere too.
std::vector<Gate> gates(const Rewriter& graph, int outer, int inner);

/// Replaces each x * (a f(argument(x)) + b) by `op`; f is one operator. Returns how often.
struct GatePattern {
  std::string_view function{};
  Polynomial argument{};
  Affine of_function{};
  std::string_view op{};
};
int fuse_gates(Rewriter& graph, const GatePattern& pattern);

}  // namespace roofcast::onnx
