// Quantised operators. A stored tensor that is dequantised stays that stored tensor, so that the layer which
// uses it owns it. Products and sums are counted like those of real values; passes that quantise or
// dequantise activations cost their bytes.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/attention.hpp"
#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/layers.hpp"
#include "engine/io/import_onnx/normalization.hpp"

namespace roofcast::onnx {
namespace {

std::optional<OnnxValue> optional_input(const OnnxNode& node, std::size_t index) {
  return node.has(index) ? std::optional{node.input(index)} : std::nullopt;
}

// The type of input `index`, which a scale or zero point has.
ElementType element_of(const OnnxNode& node, std::size_t index, ElementType otherwise) {
  return node.has(index) ? node.input(index).element : otherwise;
}

ElementType given_element(const OnnxNode& node, ElementType otherwise) {
  const auto given = node.integer("output_dtype", 0);
  return given == 0 ? otherwise : static_cast<ElementType>(given);
}

Result<OnnxValue> converted(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                            ElementType element, std::string_view function) {
  if (input.value == no_value) {
    OnnxValue result = input;
    result.element = element;
    result.content.reset();
    return result;
  }
  return pointwise(importer, node, {input}, function, element, 2);
}

Result<Values> import_quantize(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const ElementType element = given_element(node, element_of(node, 2, ElementType::uint8));
  return one(converted(importer, node, node.input(0), element, node.op()));
}

Result<Values> import_dequantize(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const ElementType element = given_element(node, node.input(1).element);
  return one(converted(importer, node, node.input(0), element, node.op()));
}

// The range of the input, then its codes, their scale and their zero.
Result<Values> import_dynamic_quantize(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  auto scale = importer.emit_one(node,
                                 {.op = "reduce",
                                  .attributes = result_attributes({}, ElementType::float32),
                                  .element = ElementType::float32},
                                 {input});
  if (!scale) return tl::unexpected(scale.error());
  auto zero = importer.emit_one(node,
                                {.op = "opaque",
                                 .attributes = result_attributes({}, ElementType::uint8),
                                 .element = ElementType::uint8},
                                {*scale});
  if (!zero) return tl::unexpected(zero.error());
  auto codes = pointwise(importer, node, {input, *scale}, "QuantizeLinear", ElementType::uint8, 2);
  if (!codes) return tl::unexpected(codes.error());
  return Values{*codes, *scale, *zero};
}

// ---- products ----

Result<OnnxValue> with_element(Result<OnnxValue> value, ElementType element) {
  if (value) value->element = element;
  return value;
}

// x, its scale and zero, weight, its scale and zero, the result's scale and zero, bias.
Result<Values> import_qlinear_conv(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 4); !ok) return tl::unexpected(ok.error());
  OnnxValue input = node.input(0);
  const bool last = node.integer("channels_last") != 0 && input.rank() >= 3;
  const auto rank = static_cast<std::int64_t>(input.rank());
  if (last) {
    std::vector<std::int64_t> axes{0, rank - 1};
    for (std::int64_t i = 1; i + 1 < rank; ++i) axes.push_back(i);
    auto turned = importer.permuted(node, input, axes);
    if (!turned) return tl::unexpected(turned.error());
    input = *turned;
  }
  auto result = convolution(importer, node, input, node.input(3), optional_input(node, 8));
  if (result && last) {
    std::vector<std::int64_t> axes{0};
    for (std::int64_t i = 2; i < rank; ++i) axes.push_back(i);
    axes.push_back(1);
    result = importer.permuted(node, *result, axes);
  }
  return one(with_element(std::move(result), element_of(node, 7, input.element)));
}

Result<Values> import_conv_integer(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  return one(with_element(convolution(importer, node, node.input(0), node.input(1), std::nullopt),
                          ElementType::int32));
}

/// Where a product has its operands, and what it gives.
struct Product {
  std::string_view op{};
  std::size_t right = 1;
  std::size_t bias = 0;  ///< 0: none
  ElementType element = ElementType::float32;
};

constexpr Product products[] = {{"MatMulInteger", 1, 0, ElementType::int32},
                                {"MatMulInteger16", 1, 0, ElementType::int32},
                                {"MatMulIntegerToFloat", 1, 6},
                                {"DynamicQuantizeMatMul", 1, 4},
                                {"QLinearMatMul", 3, 0, ElementType::undefined},
                                {"QGemm", 3, 6, ElementType::undefined}};

Result<Values> import_product(Importer& importer, const OnnxNode& node) {
  const Product& row = *std::ranges::find(products, node.op(), &Product::op);
  if (auto ok = require_inputs(importer, node, row.right + 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& left = node.input(0);
  const OnnxValue& right = node.input(row.right);
  const auto bias = row.bias == 0 ? std::nullopt : optional_input(node, row.bias);
  const bool transpose = node.integer("transB") != 0;
  Result<OnnxValue> result = left;
  if (node.integer("transA") != 0) {
    result = matrix_product(importer, node, left, right, true, transpose);
    if (result && bias) result = pointwise(importer, node, {*result, *bias}, "Add", result->element);
  } else {
    result = linear_layer(importer, node, left, right, bias, transpose);
  }
  ElementType element = row.element;
  if (element == ElementType::undefined)
    element = element_of(node, row.right == 3 && row.bias == 0 ? 7 : 8,
                         row.bias == 0 ? left.element : ElementType::float32);
  return one(with_element(std::move(result), element));
}

// Weights of few bits in blocks, each with a scale: multiplied as the [N, K] matrix that they stand for.
Result<Values> import_few_bits(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const std::int64_t rows = node.integer("N");
  const std::int64_t columns = node.integer("K");
  const std::int64_t bits = node.op() == "MatMulBnb4" ? 4 : node.integer("bits", 4);
  if (rows < 1 || columns < 1 || bits < 1 || bits > 8)
    return importer.refuse(node, fmt::format("has a weight of {}x{} with {} bits", rows, columns, bits));
  if (input.rank() == 0) return importer.refuse(node, "multiplies a scalar as a matrix");
  if (input.shape.back().is_constant() && !input.shape.back().is(columns))
    return importer.refuse(node, fmt::format("its weight is made for {} inputs, not {}", columns,
                                             to_string(input.shape.back())));
  // Whole blocks are stored, so the last one may be longer than needed, but none is missing.
  const std::int64_t block = std::max<std::int64_t>(node.integer("block_size", 1), 1);
  const Expr stored = elements(node.input(1).shape);
  constexpr std::int64_t bits_per_byte = 8;
  const std::int64_t blocks =
      node.op() == "MatMulBnb4" ? rows * columns : (columns + block - 1) / block * block * rows;
  const std::int64_t expected = (blocks * bits + bits_per_byte - 1) / bits_per_byte;
  if (node.input(1).element == ElementType::uint8 && stored.is_constant() && !stored.is(expected)) {
    return importer.refuse(node, fmt::format("stores {} bytes, but {}x{} weights of {} bits take {}",
                                             to_string(stored), rows, columns, bits, expected));
  }
  OnnxValue weight = node.input(1);
  weight.shape = {Expr{rows}, Expr{columns}};
  const auto bias = node.op() == "MatMulNBits" ? optional_input(node, 5) : std::nullopt;
  const bool own_bias = bias && importer.is_weight(*bias);
  Attributes attributes;
  attributes.set("out_features", Expr{rows});
  attributes.set("bias", own_bias);
  Emission emission{.op = "linear", .attributes = attributes, .weights = {weight}};
  if (own_bias) emission.weights.push_back(*bias);
  auto result = importer.emit_one(node, std::move(emission), {input});
  if (result && bias && !own_bias)
    result = pointwise(importer, node, {*result, *bias}, "Add", result->element);
  importer.note(
      fmt::format("weights of {} have {} bits in the file; they are counted in the precision asked for",
                  node.op(), bits));
  return one(std::move(result));
}

// Rows of a table of few bits, dequantised as they are read.
Result<Values> import_gather_blocks(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const OnnxValue& table = node.input(0);
  const OnnxValue& indices = node.input(1);
  if (table.rank() != 2) return importer.refuse(node, "wants a table of two dimensions");
  const bool packed = table.element == ElementType::uint8;
  const Expr row =
      table.shape[1] * Expr{packed ? 8 / std::clamp<std::int64_t>(node.integer("bits", 4), 1, 8) : 1};
  Shape shape = indices.shape;
  shape.push_back(row);
  Attributes attributes = result_attributes(shape, node.input(2).element);
  attributes.set("row", row);
  return one(importer.emit_one(
      node, {.op = "gather", .attributes = attributes, .element = node.input(2).element}, {table, indices}));
}

// ---- elementwise and the rest ----

// Each operand brings a scale and a zero.
Result<Values> import_qlinear_binary(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 4); !ok) return tl::unexpected(ok.error());
  constexpr std::int64_t operations = 6;
  return one(pointwise(importer, node, {node.input(0), node.input(3)}, node.op(), node.input(0).element,
                       operations));
}

Result<Values> import_qlinear_where(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 5); !ok) return tl::unexpected(ok.error());
  constexpr std::int64_t operations = 4;
  return one(pointwise(importer, node, {node.input(0), node.input(1), node.input(4)}, node.op(),
                       node.input(1).element, operations));
}

// The result's scale and zero, then tensor, scale and zero of each part.
Result<Values> import_qlinear_concat(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  Values parts;
  for (std::size_t i = 2; i < node.inputs(); i += 3) {
    if (node.has(i)) parts.push_back(node.input(i));
  }
  const auto axis = axis_of(importer, node, node.integer("axis", 1), parts.front().rank());
  if (!axis) return tl::unexpected(axis.error());
  Attributes attributes;
  attributes.set("axis", Expr{static_cast<std::int64_t>(*axis)});
  return one(importer.emit_one(node, {.op = "concat", .attributes = attributes}, parts));
}

Result<Values> import_qlinear_softmax(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  return one(importer.emit_one(node, {.op = "softmax"}, {node.input(0)}));
}

// Sequence, weight, bias, their scales, mask, their zeros, past.
Result<Values> import_qattention(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  auto outputs = self_attention(importer, node, node.input(1), node.input(2), 5, 8, 99);
  if (outputs) {
    for (OnnxValue& output : *outputs) output.element = element_of(node, 3, ElementType::float32);
  }
  return outputs;
}

}  // namespace

HandlerRows quantization_handlers() {
  static const std::vector<HandlerRow> rows = [] {
    std::vector<HandlerRow> all{{"QuantizeLinear", import_quantize},
                                {"DequantizeLinear", import_dequantize},
                                {"DynamicQuantizeLinear", import_dynamic_quantize},
                                {"QLinearConv", import_qlinear_conv},
                                {"ConvInteger", import_conv_integer},
                                {"MatMulNBits", import_few_bits},
                                {"MatMulBnb4", import_few_bits},
                                {"GatherBlockQuantized", import_gather_blocks},
                                {"QLinearAdd", import_qlinear_binary},
                                {"QLinearMul", import_qlinear_binary},
                                {"QLinearWhere", import_qlinear_where},
                                {"QLinearConcat", import_qlinear_concat},
                                {"QLinearSoftmax", import_qlinear_softmax},
                                {"QAttention", import_qattention}};
    for (const Product& row : products) all.push_back({row.op, import_product});
    return all;
  }();
  return rows;
}

}  // namespace roofcast::onnx
