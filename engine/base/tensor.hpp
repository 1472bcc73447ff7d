#pragma once
// Shapes whose dimensions are expressions, and what an operator knows of a tensor.

#include <optional>
#include <string>
#include <vector>

#include "engine/base/dtype.hpp"
#include "engine/base/expression.hpp"

namespace roofcast {

using Shape = std::vector<Expr>;

/// A tensor's shape and element type. Without a dtype the tensor is real-valued and takes the type that the
/// precision policy gives it; indices, masks and statistics have theirs from the start.
struct TensorType {
  Shape shape{};
  std::optional<DType> dtype{};
};

/// The number of elements; 1 for a scalar.
Expr elements(const Shape& shape);

/// The product of dimensions [first, last).
Expr elements(const Shape& shape, std::size_t first, std::size_t last);

/// Bytes of `count` elements, rounded up to whole bytes.
Expr storage_bytes(const Expr& count, DType dtype);

/// `[batch, seq, 768]`
std::string to_string(const Shape& shape);

/// Two dimensions that must be equal for the model to make sense. Dimensions that are the same expression
/// never get here; the others are checked at the symbols' values.
struct Constraint {
  Expr left{};
  Expr right{};
  std::string message{};  ///< "inner dimensions of 'scores' differ"
  Location where{};
};

}  // namespace roofcast
