#pragma once
// What the importers of many operators share.

#include <array>
#include <optional>

#include "engine/io/import_onnx/handlers.hpp"

namespace roofcast::onnx {

/// An axis counted from the front; errors when it is out of range.
Result<std::size_t> axis_of(const Importer& importer, const OnnxNode& node, std::int64_t axis,
                            std::size_t rank);

/// A list that older operator sets give as an attribute and newer ones as an input. Nothing if neither is
/// there; an error if the input is not known.
Result<std::optional<std::vector<std::int64_t>>> list_of(const Importer& importer, const OnnxNode& node,
                                                         std::string_view attribute, std::size_t input);

/// The same for axes, counted from the front.
Result<std::optional<std::vector<std::size_t>>> axes_of(const Importer& importer, const OnnxNode& node,
                                                        std::string_view attribute, std::size_t input,
                                                        std::size_t rank);

/// An error unless the node has this many inputs that are tensors.
Result<void> require_inputs(const Importer& importer, const OnnxNode& node, std::size_t least);

/// Why nobody knows the elements of `value`: the end of a sentence such as "its shape ...".
std::string unknown_because(const OnnxValue& value);

/// The shape of a result whose size only data decides: as the file declares it, with a note, or an error that
/// says `what` is missing and where it would come from.
Result<Shape> shape_by_data(Importer& importer, const OnnxNode& node, std::string_view what,
                            const OnnxValue& source);

/// What the file declares of output `index`, if it is within `most`, an upper bound; otherwise `most`.
Shape declared_within(const Importer& importer, const OnnxNode& node, std::size_t index, const Shape& most);

/// The shape of a broadcast. Dimensions of which one may be 1 only by its size are decided at the sizes
/// given.
Result<Shape> broadcast_shape(Importer& importer, const OnnxNode& node, const Shape& left,
                              const Shape& right);

/// An elementwise operator of our own without a name: its operands stretch to the result.
Result<OnnxValue> pointwise(Importer& importer, const OnnxNode& node, const Values& inputs,
                            std::string_view function, ElementType element, std::int64_t operations = 1);

/// A copy of the first input into another shape.
Result<OnnxValue> rearranged(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                             const Shape& shape);

/// `shape` and, for types that are no real numbers, `dtype`.
Attributes result_attributes(const Shape& shape, ElementType element);

/// The only result of an operator.
Result<Values> one(Result<OnnxValue> value);

}  // namespace roofcast::onnx
