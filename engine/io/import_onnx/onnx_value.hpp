#pragma once
// What the importer knows of a tensor of the file.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/tensor.hpp"
#include "engine/graph/graph.hpp"
#include "engine/io/import_onnx/element_type.hpp"
#include "engine/io/import_onnx/number.hpp"

namespace roofcast::onnx {

/// Known elements, in row-major order.
using Content = std::vector<Number>;

/// Tensors of more elements are not followed element by element.
inline constexpr std::int64_t most_content = 4096;

inline constexpr int no_weight = -1;
inline constexpr ValueId no_value = -1;

/// A tensor on its way through the file's operators. It may be known element by element (a size), be a weight
/// that nobody has used yet, or be a value of the graph; the first two become values when an operator needs
/// one.
struct OnnxValue {
  std::string name{};
  Shape shape{};
  ElementType element = ElementType::float32;
  std::optional<Content> content{};
  int weight = no_weight;    ///< index of the stored tensor that it is, or is a view of
  ValueId value = no_value;  ///< in the graph
  bool strided = false;      ///< a permuted view: reshaping it costs a copy
  bool absent = false;       ///< an optional input that is not given
  std::shared_ptr<std::vector<OnnxValue>> sequence{};  ///< of a sequence: its elements

  bool known() const { return content.has_value(); }
  std::size_t rank() const { return shape.size(); }
};

/// The elements as expressions, if all are whole numbers.
std::optional<std::vector<Expr>> whole_numbers(const OnnxValue& value);
/// As integers, if no symbol is in them.
std::optional<std::vector<std::int64_t>> integers(const OnnxValue& value);
std::optional<std::vector<double>> reals(const OnnxValue& value);

/// A value that is known element by element.
OnnxValue constant(Content content, Shape shape, ElementType element);
OnnxValue vector_of(const std::vector<Expr>& sizes);  ///< one-dimensional, int64

/// The number of elements if no symbol is in it and it is at most `most_content`.
std::optional<std::int64_t> small_count(const Shape& shape);

/// For each element of the result of a broadcast, the index into an operand of shape `from`. All sizes
/// constant.
std::vector<std::size_t> broadcast_indices(const std::vector<std::int64_t>& from,
                                           const std::vector<std::int64_t>& to);

/// The dimensions if none holds a symbol.
std::optional<std::vector<std::int64_t>> constant_shape(const Shape& shape);

}  // namespace roofcast::onnx
