// Einstein sums, as products of matrices.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/layers.hpp"

namespace roofcast::onnx {
namespace {

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
    if (importer_.is_weight(*right) && batch.empty() && in_b.size() == 2 && !importer_.is_weight(*left)) {
      auto input = grouped(*left, in_a, rows, inner);
      if (!input) return input;
      auto flat = linear_layer(importer_, node_, *input, *right, std::nullopt, in_b[0] != inner[0]);
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

HandlerRows einsum_handlers() {
  static const HandlerRow rows[] = {{"Einsum", import_einsum}};
  return rows;
}

}  // namespace roofcast::onnx
