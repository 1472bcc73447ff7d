// Values that come from nowhere: constants, ranges, random numbers.

#include <fmt/format.h>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/onnx.pb.h"
#include "engine/io/import_onnx/tensor_content.hpp"

namespace roofcast::onnx {
namespace {

OnnxValue integers_constant(const std::vector<std::int64_t>& values, bool scalar) {
  Content content;
  for (const std::int64_t value : values) content.emplace_back(value);
  Shape shape;
  if (!scalar) shape.emplace_back(static_cast<std::int64_t>(values.size()));
  return constant(std::move(content), shape, ElementType::int64);
}

OnnxValue reals_constant(const std::vector<double>& values, bool scalar) {
  Content content;
  for (const double value : values) content.push_back(Number::real(value));
  Shape shape;
  if (!scalar) shape.emplace_back(static_cast<std::int64_t>(values.size()));
  return constant(std::move(content), shape, ElementType::float32);
}

Result<Values> import_constant(Importer& importer, const OnnxNode& node) {
  if (const Tensor* tensor = node.tensor("value")) {
    auto value = read_tensor(*tensor, importer.where());
    if (!value) return tl::unexpected(value.error());
    if (value->known()) return Values{*std::move(value)};
    return Values{importer.store(*tensor, *std::move(value), false)};
  }
  if (node.has_attribute("value_int")) return Values{integers_constant({node.integer("value_int")}, true)};
  if (node.has_attribute("value_float")) return Values{reals_constant({node.real("value_float")}, true)};
  if (const auto list = node.integers("value_ints")) return Values{integers_constant(*list, false)};
  if (const auto list = node.reals("value_floats")) return Values{reals_constant(*list, false)};
  if (node.has_attribute("value_string")) return Values{{.element = ElementType::string}};
  if (node.has_attribute("value_strings")) {
    const auto count = static_cast<std::int64_t>(node.texts("value_strings").size());
    return Values{{.shape = {Expr{count}}, .element = ElementType::string}};
  }
  if (const auto found = node.attributes().find("sparse_value"); found != node.attributes().end()) {
    OnnxValue value{.element = static_cast<ElementType>(found->second->sparse_tensor().values().data_type())};
    for (const std::int64_t size : found->second->sparse_tensor().dims()) value.shape.emplace_back(size);
    return Values{value};
  }
  return importer.refuse(node, "has no value");
}

Result<Values> import_constant_of_shape(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  Number fill{0};
  ElementType element = ElementType::float32;
  if (const Tensor* tensor = node.tensor("value")) {
    const auto value = read_tensor(*tensor, importer.where());
    if (!value) return tl::unexpected(value.error());
    element = value->element;
    if (value->known() && !value->content->empty()) fill = value->content->front();
  }
  const auto given = whole_numbers(node.input(0));
  const auto sizes =
      given ? Result<Shape>{*given} : shape_by_data(importer, node, "its shape", node.input(0));
  if (!sizes) return tl::unexpected(sizes.error());
  if (const auto count = small_count(*sizes)) {
    return Values{constant(Content(static_cast<std::size_t>(*count), fill), *sizes, element)};
  }
  return one(importer.emit_one(
      node, {.op = "fill", .attributes = result_attributes(*sizes, element), .element = element}, {}));
}

Result<Values> import_range(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  std::array<Number, 3> bounds;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!node.input(i).known() || node.input(i).content->size() != 1) {
      const Expr count = importer.new_symbol(node.name() + "_length", 1);
      importer.note(fmt::format("how many values '{}' gives depends on data: set it with --set {}=N",
                                node.name(), to_string(count)));
      const ElementType type = node.input(0).element;
      return one(importer.emit_one(
          node, {.op = "fill", .attributes = result_attributes({count}, type), .element = type}, {}));
    }
    bounds[i] = node.input(i).content->front();
  }
  const ElementType element = node.input(0).element;
  const auto steps = divide(bounds[1] - bounds[0], bounds[2]);
  const auto length = steps ? ceil(*steps).whole() : std::nullopt;
  if (!length) return importer.refuse(node, "how many values it gives depends on data");
  Expr count = *length;
  if (const auto below = sign(count); below && *below < 0) count = Expr{0};
  if (small_count({count})) {
    Content content;
    for (std::int64_t i = 0; i < count.constant(); ++i) content.push_back(bounds[0] + Number{i} * bounds[2]);
    return Values{constant(std::move(content), {count}, element)};
  }
  return one(importer.emit_one(
      node, {.op = "fill", .attributes = result_attributes({count}, element), .element = element}, {}));
}

// Random numbers and the like: as large as an attribute or another tensor says.
Result<Values> import_filled(Importer& importer, const OnnxNode& node) {
  Shape shape;
  ElementType element = ElementType::float32;
  if (const auto sizes = node.integers("shape")) {
    for (const std::int64_t size : *sizes) {
      if (size < 0) return importer.refuse(node, fmt::format("has a dimension of {}", size));
      shape.emplace_back(size);
    }
  } else if (node.has(0)) {
    const auto given = node.op() == "ConstantFill" && node.integer("input_as_shape") != 0
                           ? whole_numbers(node.input(0))
                           : std::nullopt;
    shape = given ? *given : node.input(0).shape;
    element = node.input(0).element;
  }
  element = static_cast<ElementType>(node.integer("dtype", static_cast<std::int64_t>(element)));
  return one(importer.emit_one(
      node, {.op = "fill", .attributes = result_attributes(shape, element), .element = element}, {}));
}

// A window of as many values as its input says: Hann, Hamming, Blackman.
Result<Values> import_window(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const auto size = whole_numbers(node.input(0));
  Expr count = size && size->size() == 1 ? size->front() : Expr{0};
  if (!size || size->size() != 1) {
    count = importer.new_symbol(node.name() + "_size", 1024);
    importer.note(
        fmt::format("the size of '{}' is an input: set it with --set {}=N", node.name(), to_string(count)));
  }
  const auto element = static_cast<ElementType>(node.integer("output_datatype", 1));
  return one(importer.emit_one(
      node, {.op = "fill", .attributes = result_attributes({count}, element), .element = element}, {}));
}

}  // namespace

HandlerRows source_handlers() {
  static const HandlerRow rows[] = {
      {"Constant", import_constant},       {"ConstantOfShape", import_constant_of_shape},
      {"ConstantFill", import_filled},     {"Range", import_range},
      {"RandomNormal", import_filled},     {"RandomUniform", import_filled},
      {"RandomNormalLike", import_filled}, {"RandomUniformLike", import_filled},
      {"Bernoulli", import_filled},        {"EyeLike", import_filled},
      {"HannWindow", import_window},       {"HammingWindow", import_window},
      {"BlackmanWindow", import_window}};
  return rows;
}

}  // namespace roofcast::onnx
