// Matrix products. A product with a stored matrix is a linear layer, any other one is a product of
// activations.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/layers.hpp"

namespace roofcast::onnx {
namespace {

/// A stored matrix whose last but one dimension is summed over, all others being 1.
bool is_matrix(const Importer& importer, const OnnxValue& value) {
  return importer.is_weight(value) && value.rank() == 2;
}

// The stored [in, out] matrix as the layer keeps it: [out, in].
OnnxValue turned(OnnxValue weight) {
  std::swap(weight.shape[0], weight.shape[1]);
  weight.content.reset();
  return weight;
}

Result<OnnxValue> layer(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                        const OnnxValue& weight, const std::optional<OnnxValue>& bias) {
  Attributes attributes;
  attributes.set("out_features", weight.shape[0]);
  attributes.set("bias", bias.has_value());
  Emission emission{.op = "linear", .attributes = attributes, .weights = {weight}};
  if (bias) emission.weights.push_back(*bias);
  return importer.emit_one(node, std::move(emission), {input});
}

// Leading dimensions of both operands made equal, where one of them is 1; a second operand without any serves
// all.
Result<OnnxValue> product(Importer& importer, const OnnxNode& node, OnnxValue a, OnnxValue b,
                          bool transpose_a, bool transpose_b) {
  const std::size_t batch_a = a.rank() - 2;
  const std::size_t batch_b = b.rank() - 2;
  const auto batch = broadcast_shape(importer, node, Shape(a.shape.begin(), a.shape.end() - 2),
                                     Shape(b.shape.begin(), b.shape.end() - 2));
  if (!batch) return tl::unexpected(batch.error());
  const bool b_is_one =
      std::ranges::all_of(b.shape.begin(), b.shape.end() - 2, [](const Expr& size) { return size.is(1); });
  const auto with_batch = [&](OnnxValue value, std::size_t leading) -> Result<OnnxValue> {
    Shape shape = *batch;
    shape.insert(shape.end(), value.shape.end() - 2, value.shape.end());
    if (leading < batch->size()) {
      Shape ones(batch->size() - leading, Expr{1});
      ones.insert(ones.end(), value.shape.begin(), value.shape.end());
      auto padded = importer.with_shape(node, value, ones);
      if (!padded) return padded;
      value = *std::move(padded);
    }
    if (value.shape == shape) return value;
    Attributes attributes;
    attributes.set("shape", shape);
    return importer.emit_one(node, {.op = "strided_view", .attributes = attributes}, {value});
  };
  if (batch_a >= batch->size() && b_is_one && batch_a > 0) {
    auto flat = importer.with_shape(node, b, Shape(b.shape.end() - 2, b.shape.end()));
    if (!flat) return flat;
    b = *std::move(flat);
  } else {
    auto stretched_a = with_batch(a, batch_a);
    auto stretched_b = with_batch(b, batch_b);
    if (!stretched_a) return stretched_a;
    if (!stretched_b) return stretched_b;
    a = *std::move(stretched_a);
    b = *std::move(stretched_b);
  }
  Attributes attributes;
  attributes.set("transpose_a", transpose_a);
  attributes.set("transpose_b", transpose_b);
  return importer.emit_one(node, {.op = "matmul", .attributes = attributes}, {a, b});
}

}  // namespace

Result<OnnxValue> matrix_product(Importer& importer, const OnnxNode& node, OnnxValue a, OnnxValue b,
                                 bool transpose_a, bool transpose_b) {
  if (a.rank() == 0 || b.rank() == 0) return importer.refuse(node, "multiplies a scalar as a matrix");
  if (is_matrix(importer, b) && !transpose_a && !a.absent && !importer.is_weight(a)) {
    return layer(importer, node, a, transpose_b ? b : turned(b), std::nullopt);
  }
  // Vectors are matrices of one row or column, which goes again.
  const bool row = a.rank() == 1;
  const bool column = b.rank() == 1;
  if (row) {
    auto matrix = importer.with_shape(node, a, {Expr{1}, a.shape[0]});
    if (!matrix) return matrix;
    a = *std::move(matrix);
  }
  if (column) {
    auto matrix = importer.with_shape(node, b, {b.shape[0], Expr{1}});
    if (!matrix) return matrix;
    b = *std::move(matrix);
  }
  auto result = product(importer, node, a, b, transpose_a && !row, transpose_b && !column);
  if (!result || (!row && !column)) return result;
  Shape shape = result->shape;
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  return importer.with_shape(node, *result, shape);
}

Result<OnnxValue> linear_layer(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                               const OnnxValue& weight, const std::optional<OnnxValue>& bias,
                               bool transposed) {
  if (is_matrix(importer, weight) && !importer.is_weight(input)) {
    const OnnxValue matrix = transposed ? weight : turned(weight);
    const bool own_bias = bias && importer.is_weight(*bias) && elements(bias->shape) == matrix.shape[0];
    auto result = layer(importer, node, input, matrix, own_bias ? bias : std::nullopt);
    if (!result || !bias || own_bias) return result;
    return pointwise(importer, node, {*result, *bias}, "Add", result->element);
  }
  auto result = matrix_product(importer, node, input, weight, false, transposed);
  if (!result || !bias) return result;
  return pointwise(importer, node, {*result, *bias}, "Add", result->element);
}

namespace {

Result<Values> import_matmul(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  return one(matrix_product(importer, node, node.input(0), node.input(1), node.integer("transA") != 0,
                            node.integer("transB") != 0));
}

// Y = alpha A B + beta C
Result<Values> import_gemm(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& a = node.input(0);
  const OnnxValue& b = node.input(1);
  const bool transpose_a = node.integer("transA") != 0;
  const bool transpose_b = node.integer("transB") != 0;
  if (a.rank() != 2 || b.rank() != 2) return importer.refuse(node, "wants two matrices");
  const bool has_bias = node.has(2);
  const Expr& columns = b.shape[transpose_b ? 0 : 1];
  if (!transpose_a && is_matrix(importer, b) && !importer.is_weight(a)) {
    const bool own_bias =
        has_bias && importer.is_weight(node.input(2)) && elements(node.input(2).shape) == columns;
    auto result = layer(importer, node, a, transpose_b ? b : turned(b),
                        own_bias ? std::optional{node.input(2)} : std::nullopt);
    if (!result || own_bias || !has_bias) return one(std::move(result));
    return one(importer.emit_one(node, {.op = "add"}, {*result, node.input(2)}));
  }
  auto result = product(importer, node, a, b, transpose_a, transpose_b);
  if (!result || !has_bias) return one(std::move(result));
  return one(pointwise(importer, node, {*result, node.input(2)}, "Add", result->element));
}

}  // namespace

HandlerRows linear_handlers() {
  static const HandlerRow rows[] = {
      {"MatMul", import_matmul}, {"FusedMatMul", import_matmul},         {"TransposeMatMul", import_matmul},
      {"Gemm", import_gemm},     {"SparseToDenseMatMul", import_matmul}, {"FusedGemm", import_gemm}};
  return rows;
}

}  // namespace roofcast::onnx
