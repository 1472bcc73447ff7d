// Matrix products. A product with a stored matrix is a linear layer, any other one is a product of
// activations.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/window.hpp"

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

// ---- Einstein sums ----

/// The letters of each operand and of the result.
struct Equation {
  std::vector<std::string> operands{};
  std::string result{};
};

std::optional<Equation> parse_equation(const std::string& text, const Values& inputs) {
  Equation equation;
  std::string compact;
  for (const char letter : text) {
    if (letter != ' ') compact += letter;
  }
  const auto arrow = compact.find("->");
  std::string left = compact.substr(0, arrow);
  for (std::size_t begin = 0; begin <= left.size();) {
    const std::size_t end = std::min(left.find(',', begin), left.size());
    equation.operands.push_back(left.substr(begin, end - begin));
    begin = end + 1;
  }
  if (equation.operands.size() != inputs.size()) return std::nullopt;
  // "..." stands for as many further dimensions as there are: digits are their letters, counted from the
  // right.
  std::size_t most_hidden = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::string& letters = equation.operands[i];
    const auto dots = letters.find("...");
    const std::size_t named = letters.size() - (dots == std::string::npos ? 0 : 3);
    if (named > inputs[i].rank() || (dots == std::string::npos && named != inputs[i].rank()))
      return std::nullopt;
    if (dots == std::string::npos) continue;
    const std::size_t hidden = inputs[i].rank() - named;
    if (hidden > 10) return std::nullopt;
    std::string names;
    for (std::size_t k = hidden; k > 0; --k) names += static_cast<char>('0' + k - 1);
    letters.replace(dots, 3, names);
    most_hidden = std::max(most_hidden, hidden);
  }
  std::string hidden_names;
  for (std::size_t k = most_hidden; k > 0; --k) hidden_names += static_cast<char>('0' + k - 1);
  if (arrow != std::string::npos) {
    equation.result = compact.substr(arrow + 2);
    if (const auto dots = equation.result.find("..."); dots != std::string::npos)
      equation.result.replace(dots, 3, hidden_names);
  } else {  // letters that occur once, in alphabetical order
    std::map<char, int> times;
    for (const std::string& letters : equation.operands) {
      for (const char letter : letters) ++times[letter];
    }
    equation.result = hidden_names;
    for (const auto& [letter, count] : times) {
      if (count == 1 && std::isdigit(static_cast<unsigned char>(letter)) == 0) equation.result += letter;
    }
  }
  return equation;
}

class EinsteinSum {
 public:
  EinsteinSum(Importer& importer, const OnnxNode& node) : importer_(importer), node_(node) {}

  Result<OnnxValue> run() {
    auto equation = parse_equation(node_.text("equation"), node_.all_inputs());
    if (!equation) {
      return importer_.refuse(node_, fmt::format("'{}' does not fit its inputs", node_.text("equation")));
    }
    for (std::size_t i = 0; i < node_.inputs(); ++i) {
      for (std::size_t axis = 0; axis < node_.input(i).rank(); ++axis) {
        Expr& size = sizes_[equation->operands[i][axis]];
        if (size.is(0) || size.is(1)) size = node_.input(i).shape[axis];
      }
    }
    OnnxValue value = node_.input(0);
    std::string letters = equation->operands[0];
    for (std::size_t i = 1; i < node_.inputs(); ++i) {
      std::string later = equation->result;
      for (std::size_t k = i + 1; k < node_.inputs(); ++k) later += equation->operands[k];
      auto next = pair(value, letters, node_.input(i), equation->operands[i], later);
      if (!next) return next;
      value = *std::move(next);
      letters = letters_;
    }
    auto reduced = sum_over(value, letters, equation->result);
    if (!reduced) return reduced;
    return ordered(*reduced, letters_, equation->result);
  }

 private:
  static bool holds(const std::string& letters, char letter) {
    return letters.find(letter) != std::string::npos;
  }

  Shape shape_of(const std::string& letters) {
    Shape shape;
    for (const char letter : letters) shape.push_back(sizes_[letter]);
    return shape;
  }

  // Letters that nobody needs any more are summed over.
  Result<OnnxValue> sum_over(const OnnxValue& value, const std::string& letters, const std::string& needed) {
    letters_.clear();
    for (const char letter : letters) {
      if (holds(needed, letter) && !holds(letters_, letter)) letters_ += letter;
    }
    if (letters_ == letters) return value;
    return importer_.emit_one(
        node_, {.op = "reduce", .attributes = result_attributes(shape_of(letters_), value.element)}, {value});
  }

  Result<OnnxValue> ordered(const OnnxValue& value, const std::string& letters, const std::string& wanted) {
    if (letters == wanted) return value;
    if (letters.size() != wanted.size()) return importer_.refuse(node_, "repeats a letter in its result");
    std::vector<std::int64_t> axes;
    for (const char letter : wanted) {
      const auto at = letters.find(letter);
      if (at == std::string::npos) return importer_.refuse(node_, fmt::format("'{}' is in no input", letter));
      axes.push_back(static_cast<std::int64_t>(at));
    }
    return importer_.permuted(node_, value, axes);
  }

  // Two operands: letters in both that are needed later make the batch, those that are not are summed over.
  Result<OnnxValue> pair(const OnnxValue& a, const std::string& letters_a, const OnnxValue& b,
                         const std::string& letters_b, const std::string& later) {
    auto left = sum_over(a, letters_a, letters_b + later);
    if (!left) return left;
    const std::string in_a = letters_;
    auto right = sum_over(b, letters_b, letters_a + later);
    if (!right) return right;
    const std::string in_b = letters_;
    std::string batch;
    std::string rows;
    std::string columns;
    std::string inner;
    for (const char letter : in_a) {
      if (!holds(in_b, letter)) {
        rows += letter;
      } else if (holds(later, letter)) {
        batch += letter;
      } else {
        inner += letter;
      }
    }
    for (const char letter : in_b) {
      if (!holds(in_a, letter)) columns += letter;
    }
    letters_ = batch + rows + columns;
    if (inner.empty()) {  // an elementwise product
      auto stretched_a = ordered_view(*left, in_a, batch + rows, Shape(columns.size(), Expr{1}), false);
      auto stretched_b =
          ordered_view(*right, in_b, batch + columns, Shape(rows.size(), Expr{1}), true, batch.size());
      if (!stretched_a) return stretched_a;
      if (!stretched_b) return stretched_b;
      return pointwise(importer_, node_, {*stretched_a, *stretched_b}, "Mul", a.element);
    }
    if (is_matrix(importer_, *right) && batch.empty() && in_b.size() == 2 && !importer_.is_weight(*left)) {
      auto input = grouped(*left, in_a, rows, inner);
      if (!input) return input;
      const OnnxValue weight = in_b[0] == inner[0] ? turned(*right) : *right;
      auto flat = layer(importer_, node_, *input, weight, std::nullopt);
      if (!flat) return flat;
      return importer_.with_shape(node_, *flat, shape_of(letters_));
    }
    auto matrix_a = grouped(*left, in_a, rows, inner, batch);
    auto matrix_b = grouped(*right, in_b, inner, columns, batch);
    if (!matrix_a) return matrix_a;
    if (!matrix_b) return matrix_b;
    auto result = importer_.emit_one(node_, {.op = "matmul"}, {*matrix_a, *matrix_b});
    if (!result) return result;
    return importer_.with_shape(node_, *result, shape_of(letters_));
  }

  // The operand as a (batch of) matrices: dimensions ordered, then folded. Strides do it all.
  Result<OnnxValue> grouped(const OnnxValue& value, const std::string& letters, const std::string& first,
                            const std::string& second, const std::string& batch = {}) {
    auto moved = ordered(value, letters, batch + first + second);
    if (!moved) return moved;
    Shape shape;
    if (!batch.empty()) shape.push_back(elements(shape_of(batch)));
    shape.push_back(elements(shape_of(first)));
    shape.push_back(elements(shape_of(second)));
    return importer_.with_shape(node_, *moved, shape);
  }

  Result<OnnxValue> ordered_view(const OnnxValue& value, const std::string& letters,
                                 const std::string& wanted, const Shape& ones, bool before,
                                 std::size_t at = 0) {
    auto moved = ordered(value, letters, wanted);
    if (!moved) return moved;
    Shape shape = moved->shape;
    shape.insert(before ? shape.begin() + static_cast<std::ptrdiff_t>(at) : shape.end(), ones.begin(),
                 ones.end());
    return importer_.with_shape(node_, *moved, shape);
  }

  Importer& importer_;
  const OnnxNode& node_;
  std::map<char, Expr> sizes_{};
  std::string letters_{};  ///< of the last result
};

Result<Values> import_einsum(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, std::max<std::size_t>(node.inputs(), 1)); !ok)
    return tl::unexpected(ok.error());
  return one(EinsteinSum(importer, node).run());
}

}  // namespace

HandlerRows linear_handlers() {
  static const HandlerRow rows[] = {
      {"MatMul", import_matmul}, {"FusedMatMul", import_matmul},         {"TransposeMatMul", import_matmul},
      {"Gemm", import_gemm},     {"SparseToDenseMatMul", import_matmul}, {"FusedGemm", import_gemm},
      {"Einsum", import_einsum}};
  return rows;
}

}  // namespace roofcast::onnx
