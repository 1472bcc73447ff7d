// Normalisations with stored scales.

#include "engine/io/import_onnx/normalization.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {

Result<OnnxValue> layer_norm(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                             const std::optional<OnnxValue>& scale, const std::optional<OnnxValue>& bias,
                             std::string_view op) {
  const auto own = [&](const std::optional<OnnxValue>& value) {
    return value && importer.is_weight(*value) && value->rank() >= 1 &&
           elements(value->shape) == input.shape.back();
  };
  Attributes attributes;
  Emission emission{.op = op};
  if (own(scale)) {
    emission.weights.push_back(*scale);
    if (own(bias)) emission.weights.push_back(*bias);
  } else {
    attributes.set("weight", false);
  }
  if (op == "layer_norm") attributes.set("bias", own(scale) && own(bias));
  emission.attributes = std::move(attributes);
  auto result = importer.emit_one(node, std::move(emission), {input});
  // Scales that are computed, or offsets without a stored scale, are operators of their own.
  if (result && scale && !own(scale))
    result = pointwise(importer, node, {*result, *scale}, "Mul", input.element);
  if (result && bias && !(own(scale) && own(bias) && op == "layer_norm"))
    result = pointwise(importer, node, {*result, *bias}, "Add", input.element);
  return result;
}

namespace {

std::optional<OnnxValue> optional_input(const OnnxNode& node, std::size_t index) {
  return node.has(index) ? std::optional{node.input(index)} : std::nullopt;
}

// Y, and in training mode the running statistics that replace the old ones.
Result<Values> import_batch_norm(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 5); !ok) return tl::unexpected(ok.error());
  OnnxValue input = node.input(0);
  if (input.rank() < 2)
    return importer.refuse(node, fmt::format("cannot normalise {}", to_string(input.shape)));
  importer.mark_statistic(node.input(3));
  importer.mark_statistic(node.input(4));
  const bool own = importer.is_weight(node.input(1)) && importer.is_weight(node.input(2)) &&
                   elements(node.input(1).shape) == input.shape[1];
  Result<OnnxValue> result = input;
  if (own) {
    result =
        importer.emit_one(node, {.op = "batch_norm", .weights = {node.input(1), node.input(2)}}, {input});
  } else {
    result = pointwise(importer, node, {input}, "BatchNormalization", input.element, 4);
  }
  if (!result) return tl::unexpected(result.error());
  Values outputs{*result};
  for (std::size_t i = 1; i < node.outputs(); ++i) {
    OnnxValue statistic = node.input(i % 2 == 1 ? 3 : 4);
    outputs.push_back(std::move(statistic));
  }
  return outputs;
}

// A scale of ones or an offset of zeros, which changes nothing.
bool is_neutral(const OnnxValue& value, double neutral) {
  return value.known() && std::ranges::all_of(*value.content, [&](const Number& number) {
           return number.constant() == neutral;
         });
}

Result<Values> import_group_norm(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() < 3)
    return importer.refuse(node, fmt::format("cannot normalise {}", to_string(input.shape)));
  // ONNX Runtime's own one may have its channels last; cost and counts are the same.
  const bool last = node.op() == "GroupNorm" && node.integer("channels_last", 0) != 0;
  const Expr channels = last ? input.shape.back() : input.shape[1];
  Expr groups = channels;  // each channel of each sample by itself
  if (node.op() == "GroupNormalization") groups = Expr{node.integer("num_groups", 1)};
  if (node.op() == "GroupNorm") groups = Expr{node.integer("groups", 1)};
  const bool neutral = is_neutral(node.input(1), 1) && is_neutral(node.input(2), 0);
  const bool own = !neutral && importer.is_weight(node.input(1)) && importer.is_weight(node.input(2)) &&
                   elements(node.input(1).shape) == channels;
  Attributes attributes;
  attributes.set("groups", groups);
  OnnxValue value = input;
  if (last) {
    Shape shape = input.shape;
    shape.pop_back();
    shape.insert(shape.begin() + 1, channels);
    auto first = importer.with_shape(node, input, shape);
    if (!first) return tl::unexpected(first.error());
    value = *first;
  }
  Emission emission{.op = "group_norm", .attributes = attributes};
  if (own) {
    emission.weights = {node.input(1), node.input(2)};
  } else {
    emission.attributes.set("weight", false);
  }
  auto result = importer.emit_one(node, std::move(emission), {value});
  if (result && last) result = importer.with_shape(node, *result, input.shape);
  if (!result || own || neutral) return one(std::move(result));
  for (const std::size_t index : {1U, 2U}) {
    if (node.input(index).rank() != 1 || !(node.input(index).shape[0] == channels)) continue;
    Shape shape(input.rank(), Expr{1});
    shape[1] = channels;
    if (node.input(index).known() && node.input(index).weight == no_weight) continue;  // ones and zeros
    auto stretched = importer.with_shape(node, node.input(index), shape);
    if (!stretched) return tl::unexpected(stretched.error());
    result = pointwise(importer, node, {*result, *stretched}, index == 1 ? "Mul" : "Add", input.element);
    if (!result) return tl::unexpected(result.error());
  }
  return Values{*result};
}

Result<Values> import_layer_norm(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() == 0) return importer.refuse(node, "cannot normalise a scalar");
  const auto axis = axis_of(importer, node, node.integer("axis", -1), input.rank());
  if (!axis) return tl::unexpected(axis.error());
  const bool root_mean_square = node.op() != "LayerNormalization";
  const std::string_view op = root_mean_square ? "rms_norm" : "layer_norm";
  Shape rows(input.shape.begin(), input.shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  OnnxValue value = input;
  if (*axis + 1 != input.rank()) {  // several dimensions are normalised as one
    Shape shape = rows;
    shape.push_back(elements(input.shape, *axis, input.rank()));
    auto flat = importer.reshaped(node, input, shape);
    if (!flat) return tl::unexpected(flat.error());
    value = *flat;
  }
  std::array<std::optional<OnnxValue>, 2> learned{optional_input(node, 1), optional_input(node, 2)};
  for (std::optional<OnnxValue>& vector : learned) {
    if (!vector || vector->rank() <= 1 || *axis + 1 == input.rank()) continue;
    auto flat = importer.with_shape(node, *vector, {elements(vector->shape)});
    if (!flat) return tl::unexpected(flat.error());
    vector = *flat;
  }
  auto result = layer_norm(importer, node, value, learned[0], learned[1], op);
  if (result) result = importer.with_shape(node, *result, input.shape);
  if (!result) return tl::unexpected(result.error());
  Values outputs{*result};
  for (std::size_t i = 1; i < node.outputs(); ++i) {
    rows.resize(input.rank(), Expr{1});
    auto statistic = importer.emit_one(
        node, {.op = "opaque", .attributes = result_attributes(rows, ElementType::float32)}, {input});
    if (!statistic) return tl::unexpected(statistic.error());
    outputs.push_back(*statistic);
  }
  return outputs;
}

// Norms without anything learned.
Result<Values> import_plain_norm(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  constexpr std::int64_t operations = 8;
  return one(pointwise(importer, node, {node.input(0)}, node.op(), node.input(0).element, operations));
}

}  // namespace

HandlerRows normalization_handlers() {
  static const HandlerRow rows[] = {
      {"BatchNormalization", import_batch_norm},        {"InstanceNormalization", import_group_norm},
      {"GroupNormalization", import_group_norm},        {"GroupNorm", import_group_norm},
      {"LayerNormalization", import_layer_norm},        {"SimplifiedLayerNormalization", import_layer_norm},
      {"RMSNormalization", import_layer_norm},          {"LpNormalization", import_plain_norm},
      {"MeanVarianceNormalization", import_plain_norm}, {"LRN", import_plain_norm}};
  return rows;
}

}  // namespace roofcast::onnx
