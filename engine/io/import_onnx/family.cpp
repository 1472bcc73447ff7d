#include "engine/io/import_onnx/family.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofcast::onnx {

Result<std::size_t> axis_of(const Importer& importer, const OnnxNode& node, std::int64_t axis,
                            std::size_t rank) {
  const auto dimensions = static_cast<std::int64_t>(rank);
  if (axis < -dimensions || axis >= std::max<std::int64_t>(dimensions, 1)) {
    return importer.refuse(node, fmt::format("axis {} of a tensor with {} dimensions", axis, rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + dimensions : axis);
}

Result<std::optional<std::vector<std::int64_t>>> list_of(const Importer& importer, const OnnxNode& node,
                                                         std::string_view attribute, std::size_t input) {
  if (auto given = node.integers(attribute)) return given;
  if (!node.has(input)) return std::optional<std::vector<std::int64_t>>{};
  auto known = integers(node.input(input));
  if (!known) {
    return importer.refuse(node,
                           fmt::format("what its '{}' are {}", attribute, unknown_because(node.input(input))),
                           "only a model whose shapes follow from its inputs' shapes can be counted");
  }
  return known;
}

Result<std::optional<std::vector<std::size_t>>> axes_of(const Importer& importer, const OnnxNode& node,
                                                        std::string_view attribute, std::size_t input,
                                                        std::size_t rank) {
  const auto list = list_of(importer, node, attribute, input);
  if (!list) return tl::unexpected(list.error());
  if (!*list) return std::optional<std::vector<std::size_t>>{};
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : **list) {
    const auto index = axis_of(importer, node, axis, rank);
    if (!index) return tl::unexpected(index.error());
    axes.push_back(*index);
  }
  return std::optional{axes};
}

Result<void> require_inputs(const Importer& importer, const OnnxNode& node, std::size_t least) {
  for (std::size_t i = 0; i < least; ++i) {
    if (!node.has(i) || node.input(i).sequence) {
      return importer.refuse(node, fmt::format("input {} is missing", i + 1), "is the file damaged?");
    }
  }
  return {};
}

std::string unknown_because(const OnnxValue& value) {
  if (value.value == no_value && value.weight != no_weight)
    return "is stored outside of the file, or is too long to be a shape";
  return "is computed from data";
}

Result<Shape> shape_by_data(Importer& importer, const OnnxNode& node, std::string_view what,
                            const OnnxValue& source) {
  if (auto declared = importer.declared_sizes(node, 0)) {
    importer.note(node, "the size of its result is computed from data: taken as the file declares it");
    return *std::move(declared);
  }
  return importer.refuse(node, fmt::format("{} {}", what, unknown_because(source)),
                         "only a model whose shapes follow from its inputs' shapes can be counted");
}

Shape declared_within(const Importer& importer, const OnnxNode& node, std::size_t index, const Shape& most) {
  const auto declared = importer.declared_sizes(node, index);
  if (!declared || declared->size() != most.size()) return most;
  for (std::size_t axis = 0; axis < most.size(); ++axis) {
    const bool beyond = most[axis].is_constant() && (*declared)[axis].constant() > most[axis].constant();
    if (beyond) return most;
  }
  return *declared;
}

Result<Shape> broadcast_shape(Importer& importer, const OnnxNode& node, const Shape& left,
                              const Shape& right) {
  const Shape& longer = left.size() >= right.size() ? left : right;
  const Shape& shorter = left.size() >= right.size() ? right : left;
  Shape result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    Expr& dimension = result[offset + i];
    const Expr& other = shorter[i];
    if (other == dimension || other.is(1)) continue;
    if (dimension.is(1)) {
      dimension = other;
    } else if (other.is_constant() && dimension.is_constant()) {
      return importer.refuse(
          node, fmt::format("shapes {} and {} do not go together", to_string(left), to_string(right)));
    } else if (dimension.is_constant()) {
      continue;  // the other one is either 1 or equal; the larger is known
    } else if (other.is_constant()) {
      dimension = other;
    } else if (importer.sample(other).value_or(1) > importer.sample(dimension).value_or(1)) {
      dimension = other;
    }
  }
  return result;
}

Attributes result_attributes(const Shape& shape, ElementType element) {
  Attributes attributes;
  attributes.set("shape", shape);
  if (const auto dtype = storage(element)) attributes.set("dtype", std::string(roofcast::to_string(*dtype)));
  return attributes;
}

Result<OnnxValue> pointwise(Importer& importer, const OnnxNode& node, const Values& inputs,
                            std::string_view function, ElementType element, std::int64_t operations) {
  Shape shape;
  for (const OnnxValue& input : inputs) {
    auto joint = broadcast_shape(importer, node, shape, input.shape);
    if (!joint) return tl::unexpected(joint.error());
    shape = *std::move(joint);
  }
  Attributes attributes = result_attributes(shape, element);
  attributes.set("function", std::string(function));
  if (operations != 1) attributes.set("operations", Expr{operations});
  return importer.emit_one(node, {.op = "pointwise", .attributes = attributes, .element = element}, inputs);
}

Result<OnnxValue> rearranged(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                             const Shape& shape) {
  return importer.emit_one(node, {.op = "rearrange", .attributes = result_attributes(shape, input.element)},
                           {input});
}

Result<Values> one(Result<OnnxValue> value) {
  if (!value) return tl::unexpected(value.error());
  return Values{*std::move(value)};
}

}  // namespace roofcast::onnx
