// What ONNX Runtime fuses and adds: normalisations with a residual, activations with a bias, experts, and a
// few operators of its own. Fused passes over memory are one kernel; products are layers as anywhere else.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/layers.hpp"
#include "engine/io/import_onnx/normalization.hpp"

namespace roofcast::onnx {
namespace {

std::optional<OnnxValue> optional_input(const OnnxNode& node, std::size_t index) {
  return node.has(index) ? std::optional{node.input(index)} : std::nullopt;
}

// A result that another kernel writes along: its size counts, no kernel does.
Result<OnnxValue> byproduct(Importer& importer, const OnnxNode& node, const Shape& shape, ElementType element,
                            const Values& inputs) {
  return importer.emit_one(
      node, {.op = "opaque", .attributes = result_attributes(shape, element), .element = element}, inputs);
}

// ---- normalisations with a residual ----

// x + skip (+ bias), normalised. Outputs the result, mean and deviation per row, and the sum.
Result<Values> import_skip_norm(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const bool simple = node.op() == "SkipSimplifiedLayerNormalization";
  const std::size_t bias = simple ? 3 : 4;
  const OnnxValue& input = node.input(0);
  if (input.rank() == 0) return importer.refuse(node, "cannot normalise a scalar");
  Values addends{input, node.input(1)};
  if (node.has(bias)) addends.push_back(node.input(bias));
  auto sum =
      pointwise(importer, node, addends, "Add", input.element, static_cast<std::int64_t>(addends.size()) - 1);
  if (!sum) return tl::unexpected(sum.error());
  auto result =
      layer_norm(importer, node, *sum, node.input(2), simple ? std::nullopt : optional_input(node, 3),
                 simple ? "rms_norm" : "layer_norm");
  if (!result) return tl::unexpected(result.error());
  Values outputs{*result};
  Shape rows = input.shape;
  rows.back() = Expr{1};
  for (const std::size_t i : {1U, 2U}) {
    OnnxValue statistic{.absent = true};
    if (node.wants(i)) {
      auto made = byproduct(importer, node, rows, ElementType::float32, {*sum});
      if (!made) return tl::unexpected(made.error());
      statistic = *made;
    }
    outputs.push_back(statistic);
  }
  outputs.push_back(*sum);
  return outputs;
}

// x + skip (+ bias) with channels last, normalised by groups. Outputs the result and the sum.
Result<Values> import_skip_group_norm(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 4); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() != 4) return importer.refuse(node, "wants [batch, height, width, channels]");
  OnnxValue skip = node.input(3);
  if (skip.rank() == 2) {
    auto stretched = importer.with_shape(node, skip, {skip.shape[0], Expr{1}, Expr{1}, skip.shape[1]});
    if (!stretched) return tl::unexpected(stretched.error());
    skip = *stretched;
  }
  Values addends{input, skip};
  if (node.has(4)) addends.push_back(node.input(4));
  auto sum =
      pointwise(importer, node, addends, "Add", input.element, static_cast<std::int64_t>(addends.size()) - 1);
  if (!sum) return tl::unexpected(sum.error());
  auto first = importer.permuted(node, *sum, {0, 3, 1, 2});
  if (!first) return tl::unexpected(first.error());
  const bool own = importer.is_weight(node.input(1)) && importer.is_weight(node.input(2));
  Attributes attributes;
  attributes.set("groups", Expr{node.integer("groups", 1)});
  if (!own) attributes.set("weight", false);
  Emission emission{.op = "group_norm", .attributes = attributes};
  if (own) emission.weights = {node.input(1), node.input(2)};
  auto result = importer.emit_one(node, std::move(emission), {*first});
  if (result) result = importer.permuted(node, *result, {0, 2, 3, 1});
  if (!result) return tl::unexpected(result.error());
  return Values{*result, *sum};
}

// ---- the input of a language model ----

Result<OnnxValue> looked_up(Importer& importer, const OnnxNode& node, const OnnxValue& table,
                            const OnnxValue& indices) {
  if (table.rank() != 2) return importer.refuse(node, "wants tables of two dimensions");
  if (importer.is_weight(table)) {
    Attributes attributes;
    attributes.set("num_embeddings", table.shape[0]);
    attributes.set("embedding_dim", table.shape[1]);
    return importer.emit_one(
        node,
        {.op = "embedding", .attributes = attributes, .element = ElementType::float32, .weights = {table}},
        {indices});
  }
  Shape shape = indices.shape;
  shape.push_back(table.shape[1]);
  Attributes attributes = result_attributes(shape, ElementType::float32);
  attributes.set("row", table.shape[1]);
  return importer.emit_one(node, {.op = "gather", .attributes = attributes, .element = ElementType::float32},
                           {table, indices});
}

// Words, segments, tables of words, positions and segments, scale, offset, mask, positions. Outputs the
// normalised sum, the number of tokens of each sample, and the sum.
Result<Values> import_embed_norm(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  for (const std::size_t i : {2U, 3U, 5U, 6U}) {
    if (!node.has(i)) return importer.refuse(node, fmt::format("input {} is missing", i + 1));
  }
  const OnnxValue& words = node.input(0);
  if (words.rank() != 2) return importer.refuse(node, "wants words as [batch, length]");
  auto sum = looked_up(importer, node, node.input(2), words);
  if (!sum) return tl::unexpected(sum.error());
  Result<OnnxValue> positions = *sum;
  if (const std::size_t at = node.op() == "QEmbedLayerNormalization" ? 99 : 8; node.has(at)) {
    positions = looked_up(importer, node, node.input(3), node.input(at));
  } else {  // the first rows of the table
    Attributes attributes;
    attributes.set("axis", Expr{0});
    attributes.set("length", words.shape[1]);
    positions = importer.emit_one(node, {.op = "slice", .attributes = attributes}, {node.input(3)});
  }
  if (!positions) return tl::unexpected(positions.error());
  Values addends{*sum, *positions};
  if (node.has(1) && node.has(4)) {
    auto segments = looked_up(importer, node, node.input(4), node.input(1));
    if (!segments) return tl::unexpected(segments.error());
    addends.push_back(*segments);
  }
  sum = pointwise(importer, node, addends, "Add", ElementType::float32,
                  static_cast<std::int64_t>(addends.size()) - 1);
  if (!sum) return tl::unexpected(sum.error());
  auto result = layer_norm(importer, node, *sum, node.input(5), node.input(6));
  if (!result) return tl::unexpected(result.error());
  auto lengths = byproduct(importer, node, {words.shape[0]}, ElementType::int32, {words});
  if (!lengths) return tl::unexpected(lengths.error());
  return Values{*result, *lengths, *sum};
}

// ---- activations with a bias ----

struct Fused {
  std::string_view op{};
  std::int64_t operations = 1;
};

constexpr Fused fused_passes[] = {{"BiasGelu", 25}, {"BiasAdd", 2}, {"AddGelu", 25}, {"ComplexMul", 6}};

// All inputs at the same place, in one pass.
Result<Values> import_fused_pass(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const Fused& row = *std::ranges::find(fused_passes, node.op(), &Fused::op);
  Values inputs;
  for (const OnnxValue& input : node.all_inputs()) {
    if (!input.absent) inputs.push_back(input);
  }
  return one(pointwise(importer, node, inputs, row.op, node.input(0).element, row.operations));
}

// One half of the last dimension times the activation of the other.
Result<Values> import_split_gelu(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() == 0) return importer.refuse(node, "splits a scalar");
  Shape shape = input.shape;
  shape.back() = floor_divide(shape.back(), Expr{2});
  Attributes attributes = result_attributes(shape, input.element);
  attributes.set("function", std::string(node.op()));
  attributes.set("operations", Expr{27});
  Values inputs{input};
  if (node.has(1)) inputs.push_back(node.input(1));
  return one(importer.emit_one(node, {.op = "pointwise", .attributes = attributes}, inputs));
}

// Data, bias, residual: their sum; in inference nothing is dropped. The mask is all ones.
Result<Values> import_bias_dropout(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const bool biased = node.op() != "BitmaskDropout";
  Values addends{node.input(0)};
  for (const std::size_t i : {1U, 2U}) {
    if (biased && node.has(i)) addends.push_back(node.input(i));
  }
  Result<OnnxValue> sum = addends.front();
  if (addends.size() > 1) sum = pointwise(importer, node, addends, "Add", addends.front().element, 2);
  if (!sum) return tl::unexpected(sum.error());
  Values outputs{*sum};
  if (node.wants(1)) {
    auto mask = importer.emit_one(node,
                                  {.op = "fill",
                                   .attributes = result_attributes(sum->shape, ElementType::boolean),
                                   .element = ElementType::boolean},
                                  {});
    if (!mask) return tl::unexpected(mask.error());
    outputs.push_back(*mask);
  }
  return outputs;
}

Result<Values> import_bias_softmax(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  auto sum = pointwise(importer, node, {node.input(0), node.input(1)}, "Add", node.input(0).element);
  if (!sum) return tl::unexpected(sum.error());
  return one(importer.emit_one(node, {.op = "softmax"}, {*sum}));
}

Result<Values> import_gemm_gelu(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  auto result = linear_layer(importer, node, node.input(0), node.input(1), optional_input(node, 2));
  if (!result) return tl::unexpected(result.error());
  return one(importer.emit_one(node, {.op = "gelu"}, {*result}));
}

Result<Values> import_product_activation(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  auto result = matrix_product(importer, node, node.input(0), node.input(1), node.integer("transA") != 0,
                               node.integer("transB") != 0);
  if (!result) return tl::unexpected(result.error());
  return one(pointwise(importer, node, {*result}, node.text("activation", "activation"), result->element, 4));
}

// ---- experts ----

// Rows, the scores of the experts for each row, then weights [experts, in, out] and biases of two or three
// layers. Each row goes to the `k` best experts, which are taken as evenly used.
Result<Values> import_experts(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const bool quantized = node.op() == "QMoE";
  const std::size_t step = quantized ? 3 : 2;  // weight, (scales,) bias
  const OnnxValue& input = node.input(0);
  const OnnxValue& scores = node.input(1);
  if (input.rank() < 2 || scores.rank() != 2 || !node.has(2 + step))
    return importer.refuse(node, "wants rows, scores and the weights of two layers");
  const OnnxValue& up = node.input(2);
  const OnnxValue& down = node.input(2 + step);
  if (up.rank() != 3 || down.rank() != 3) return importer.refuse(node, "wants weights as [experts, in, out]");
  const Expr hidden = input.shape.back();
  const Expr rows = elements(input.shape, 0, input.rank() - 1);
  const Expr chosen = rows * Expr{std::max<std::int64_t>(node.integer("k", 1), 1)};
  const Expr experts = up.shape[0];
  const Expr each = ceil_divide(chosen, experts);
  importer.note(fmt::format("'{}' is counted with {} rows for each of {} experts", node.name(),
                            to_string(each), to_string(experts)));
  auto best =
      importer.emit_one(node,
                        {.op = "sort",
                         .attributes = result_attributes(
                             {rows, Expr{std::max<std::int64_t>(node.integer("k", 1), 1)}}, scores.element)},
                        {scores});
  if (!best) return tl::unexpected(best.error());
  Attributes picked = result_attributes({experts, each, hidden}, input.element);
  picked.set("row", hidden);
  auto sorted = importer.emit_one(node, {.op = "gather", .attributes = picked}, {input, *best});
  if (!sorted) return tl::unexpected(sorted.error());
  // The dimensions of packed weights follow from what they are multiplied with.
  Expr between = up.shape[1] == hidden ? up.shape[2] : up.shape[1];
  const bool gated = node.integer("swiglu_fusion") != 0 || node.text("activation_type") == "swiglu";
  const auto multiplied = [&](const OnnxValue& rows_in, OnnxValue weight, const Expr& out) {
    weight.shape = {experts, rows_in.shape.back(), out};
    Attributes attributes;
    attributes.set("transpose_b", false);
    if (quantized) {  // codes of few bits: as large as the matrix that they stand for
      Attributes dequantized = result_attributes(weight.shape, ElementType::float32);
      auto matrix = importer.emit_one(node, {.op = "opaque", .attributes = dequantized}, {});
      if (!matrix) return matrix;
      weight = *matrix;
    }
    return importer.emit_one(node, {.op = "matmul", .attributes = attributes}, {rows_in, weight});
  };
  auto inner = multiplied(*sorted, up, between);
  if (!inner) return tl::unexpected(inner.error());
  if (gated) between = floor_divide(between, Expr{2});
  Attributes activation = result_attributes({experts, each, between}, input.element);
  activation.set("operations", Expr{20});
  Values factors{*inner};
  if (const std::size_t third = 2 + 2 * step; node.has(third) && node.input(third).rank() == 3 && !gated) {
    auto gate = multiplied(*sorted, node.input(third), between);
    if (!gate) return tl::unexpected(gate.error());
    factors.push_back(*gate);
  }
  auto active = importer.emit_one(node, {.op = "pointwise", .attributes = activation}, factors);
  if (!active) return tl::unexpected(active.error());
  auto outer = multiplied(*active, down, hidden);
  if (!outer) return tl::unexpected(outer.error());
  Attributes back = result_attributes(input.shape, input.element);
  back.set("row", hidden);
  return one(importer.emit_one(node, {.op = "gather", .attributes = back}, {*outer, *best}));
}

// ---- shapes ----

Result<Values> import_expand_dims(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const auto given = integers(node.input(1));
  if (!given || given->size() != 1) return importer.refuse(node, "its axis is computed from data");
  const auto axis = axis_of(importer, node, given->front(), node.input(0).rank() + 1);
  if (!axis) return tl::unexpected(axis.error());
  Shape shape = node.input(0).shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), Expr{1});
  return one(importer.with_shape(node, node.input(0), shape));
}

// Joins along an axis and says how long each part was.
Result<Values> import_concat_training(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const auto axis = axis_of(importer, node, node.integer("axis"), node.input(0).rank());
  if (!axis) return tl::unexpected(axis.error());
  std::vector<Expr> lengths;
  Values parts;
  Content content;
  bool known = *axis == 0;
  Expr total{0};
  for (const OnnxValue& input : node.all_inputs()) {
    if (input.rank() <= *axis)
      return importer.refuse(node, "its inputs have different numbers of dimensions");
    lengths.push_back(input.shape[*axis]);
    total += input.shape[*axis];
    parts.push_back(input);
    known = known && input.known();
    if (known) content.insert(content.end(), input.content->begin(), input.content->end());
  }
  Result<OnnxValue> joined = parts.front();
  if (known) {
    Shape shape = parts.front().shape;
    shape[0] = total;
    joined = constant(std::move(content), shape, parts.front().element);
  } else if (parts.size() > 1) {
    Attributes attributes;
    attributes.set("axis", Expr{static_cast<std::int64_t>(*axis)});
    joined = importer.emit_one(node, {.op = "concat", .attributes = attributes}, parts);
  }
  if (!joined) return tl::unexpected(joined.error());
  return Values{*joined, vector_of(lengths)};
}

// Image, boxes, which image each box is of, and the size that each box gets.
Result<Values> import_crop_and_resize(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 4); !ok) return tl::unexpected(ok.error());
  const OnnxValue& image = node.input(0);
  const auto size = whole_numbers(node.input(3));
  if (image.rank() != 4 || node.input(1).rank() != 2)
    return importer.refuse(node, "wants an image and a list of boxes");
  Shape shape{node.input(1).shape[0], image.shape[1]};
  if (size && size->size() == 2) {
    shape.insert(shape.end(), size->begin(), size->end());
  } else if (const auto given = importer.declared_sizes(node, 0)) {
    shape = *given;
  } else {
    return importer.refuse(node, "the size of its result is computed from data");
  }
  return one(importer.emit_one(node, {.op = "sample", .attributes = result_attributes(shape, image.element)},
                               {image, node.input(1)}));
}

// A convolution with channels last in input, weight and result.
Result<Values> import_nhwc_conv(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const auto rank = static_cast<std::int64_t>(node.input(0).rank());
  if (rank < 3 || node.input(1).rank() != node.input(0).rank())
    return importer.refuse(node, "wants an image and a weight with channels last");
  std::vector<std::int64_t> to_first{0, rank - 1};
  std::vector<std::int64_t> to_last{0};
  for (std::int64_t i = 1; i + 1 < rank; ++i) to_first.push_back(i);
  for (std::int64_t i = 2; i < rank; ++i) to_last.push_back(i);
  to_last.push_back(1);
  auto input = importer.permuted(node, node.input(0), to_first);
  auto weight = importer.permuted(node, node.input(1), to_first);
  if (!input) return tl::unexpected(input.error());
  if (!weight) return tl::unexpected(weight.error());
  auto result = convolution(importer, node, *input, *weight, optional_input(node, 2));
  if (!result) return tl::unexpected(result.error());
  return one(importer.permuted(node, *result, to_last));
}

// The inverse of square matrices: two n^3 operations each.
Result<Values> import_inverse(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() < 2) return importer.refuse(node, "wants square matrices");
  Attributes attributes = result_attributes(input.shape, input.element);
  attributes.set("function", std::string(node.op()));
  attributes.set("operations", Expr{2} * input.shape.back());
  return one(importer.emit_one(node, {.op = "pointwise", .attributes = attributes}, {input}));
}

// Distances between all rows of two matrices: as many multiply-adds as their product.
Result<Values> import_distances(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  auto result = matrix_product(importer, node, node.input(0), node.input(1), false, true);
  if (!result) return tl::unexpected(result.error());
  return one(pointwise(importer, node, {*result}, node.op(), result->element, 4));
}

// Biases of the scores by distance: [1, heads, queries, keys] out of a table of [buckets, heads].
Result<Values> import_relative_bias(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const auto queries = whole_numbers(node.input(1));
  const auto keys = whole_numbers(node.input(2));
  if (!queries || !keys || queries->size() != 1 || keys->size() != 1 || node.input(0).rank() != 2)
    return importer.refuse(node, "its lengths are computed from data");
  const Shape shape{Expr{1}, node.input(0).shape[1], queries->front(), keys->front()};
  return one(
      importer.emit_one(node, {.op = "gather", .attributes = result_attributes(shape, node.input(0).element)},
                        {node.input(0)}));
}

// What changes no shape and is one pass: hashes, samples, forbidden repetitions.
Result<Values> import_same_shape(Importer& importer, const OnnxNode& node) {
  const std::size_t data = node.op() == "NGramRepeatBlock" ? 1 : 0;
  if (auto ok = require_inputs(importer, node, data + 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(data);
  const ElementType element = node.op() == "MurmurHash3" ? ElementType::uint32 : input.element;
  return one(pointwise(importer, node, {input}, node.op(), element, 4));
}

}  // namespace

HandlerRows contrib_handlers() {
  static const std::vector<HandlerRow> rows = [] {
    std::vector<HandlerRow> all{{"SkipLayerNormalization", import_skip_norm},
                                {"SkipSimplifiedLayerNormalization", import_skip_norm},
                                {"SkipGroupNorm", import_skip_group_norm},
                                {"EmbedLayerNormalization", import_embed_norm},
                                {"QEmbedLayerNormalization", import_embed_norm},
                                {"BiasSplitGelu", import_split_gelu},
                                {"BiasDropout", import_bias_dropout},
                                {"BitmaskBiasDropout", import_bias_dropout},
                                {"BitmaskDropout", import_bias_dropout},
                                {"BiasSoftmax", import_bias_softmax},
                                {"GemmFastGelu", import_gemm_gelu},
                                {"FusedMatMulActivation", import_product_activation},
                                {"MoE", import_experts},
                                {"QMoE", import_experts},
                                {"ExpandDims", import_expand_dims},
                                {"ConcatTraining", import_concat_training},
                                {"CropAndResize", import_crop_and_resize},
                                {"NhwcConv", import_nhwc_conv},
                                {"Inverse", import_inverse},
                                {"CDist", import_distances},
                                {"RelativePositionBias", import_relative_bias},
                                {"NGramRepeatBlock", import_same_shape},
                                {"MurmurHash3", import_same_shape},
                                {"SampleOp", import_same_shape}};
    for (const Fused& row : fused_passes) all.push_back({row.op, import_fused_pass});
    return all;
  }();
  return rows;
}

}  // namespace roofcast::onnx
