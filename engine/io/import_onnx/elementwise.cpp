// Arithmetic, comparisons, selections and casts. While all operands are known element by element, so is the
// result, and nothing runs.

#include <fmt/format.h>

#include <cmath>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

using Function = std::optional<Number> (*)(Importer&, const Number&, const Number&, bool integers);

// Compares exactly as long as both are expressions over the same denominators.
std::optional<Number> compare(Importer& importer, const Number& left, const Number& right, bool equal) {
  if (left.exact() && right.exact()) {
    const Expr a = left.numerator() * Expr{right.denominator()};
    const Expr b = right.numerator() * Expr{left.denominator()};
    return flag(equal ? importer.equal(a, b) : importer.less(a, b));
  }
  const auto a = left.constant();
  const auto b = right.constant();
  if (!a || !b) return std::nullopt;
  return flag(equal ? *a == *b : *a < *b);
}

std::optional<Number> opposite(const std::optional<Number>& value) {
  if (!value) return std::nullopt;
  return Number{1} - *value;
}

std::optional<Number> quotient(const Number& left, const Number& right, bool whole) {
  if (!whole) return divide(left, right);
  const auto dividend = left.whole();
  const auto divisor = right.whole();
  if (!dividend || !divisor || divisor->is(0)) return std::nullopt;
  if (dividend->is_constant() && divisor->is_constant())
    return Number{dividend->constant() / divisor->constant()};
  return Number{floor_divide(*dividend, *divisor)};  // sizes are positive
}

std::optional<Number> remainder(const Number& left, const Number& right) {
  if (!left.whole() || !right.whole() || right.whole()->is(0)) return std::nullopt;
  return Number{modulo(*left.whole(), *right.whole())};
}

std::optional<Number> power(const Number& base, const Number& exponent) {
  const auto a = base.constant();
  const auto b = exponent.constant();
  if (a && b) return Number::real(std::pow(*a, *b));
  if (exponent.integer() == 2) return base * base;
  if (exponent.integer() == 1) return base;
  return std::nullopt;
}

bool both(const Number& left, const Number& right) {
  return left.integer().value_or(0) != 0 && right.integer().value_or(0) != 0;
}

struct Binary {
  std::string_view op{};
  std::string_view ours{};  ///< an operator of ours, or empty for `pointwise`
  bool boolean = false;     ///< the result is a truth value
  Function function = nullptr;
};

constexpr Binary binaries[] = {
    {"Add", "add", false,
     [](Importer&, const Number& a, const Number& b, bool) { return std::optional{a + b}; }},
    {"Sub", "sub", false,
     [](Importer&, const Number& a, const Number& b, bool) { return std::optional{a - b}; }},
    {"Mul", "mul", false,
     [](Importer&, const Number& a, const Number& b, bool) { return std::optional{a * b}; }},
    {"Div", "div", false,
     [](Importer&, const Number& a, const Number& b, bool whole) { return quotient(a, b, whole); }},
    {"Mod", {}, false, [](Importer&, const Number& a, const Number& b, bool) { return remainder(a, b); }},
    {"Pow", "pow", false, [](Importer&, const Number& a, const Number& b, bool) { return power(a, b); }},
    {"Min", {}, false, [](Importer&, const Number& a, const Number& b, bool) { return smaller(a, b, true); }},
    {"Max",
     {},
     false,
     [](Importer&, const Number& a, const Number& b, bool) { return smaller(a, b, false); }},
    {"Sum", "add", false,
     [](Importer&, const Number& a, const Number& b, bool) { return std::optional{a + b}; }},
    {"Mean",
     {},
     false,
     [](Importer&, const Number&, const Number&, bool) { return std::optional<Number>{}; }},
    {"PRelu",
     {},
     false,
     [](Importer&, const Number&, const Number&, bool) { return std::optional<Number>{}; }},
    {"BitShift",
     {},
     false,
     [](Importer&, const Number&, const Number&, bool) { return std::optional<Number>{}; }},
    {"BitwiseAnd",
     {},
     false,
     [](Importer&, const Number&, const Number&, bool) { return std::optional<Number>{}; }},
    {"BitwiseOr",
     {},
     false,
     [](Importer&, const Number&, const Number&, bool) { return std::optional<Number>{}; }},
    {"BitwiseXor",
     {},
     false,
     [](Importer&, const Number&, const Number&, bool) { return std::optional<Number>{}; }},
    {"Equal",
     {},
     true,
     [](Importer& i, const Number& a, const Number& b, bool) { return compare(i, a, b, true); }},
    {"Less",
     {},
     true,
     [](Importer& i, const Number& a, const Number& b, bool) { return compare(i, a, b, false); }},
    {"Greater",
     {},
     true,
     [](Importer& i, const Number& a, const Number& b, bool) { return compare(i, b, a, false); }},
    {"LessOrEqual",
     {},
     true,
     [](Importer& i, const Number& a, const Number& b, bool) { return opposite(compare(i, b, a, false)); }},
    {"GreaterOrEqual",
     {},
     true,
     [](Importer& i, const Number& a, const Number& b, bool) { return opposite(compare(i, a, b, false)); }},
    {"And",
     {},
     true,
     [](Importer&, const Number& a, const Number& b, bool) { return std::optional{flag(both(a, b))}; }},
    {"Or",
     {},
     true,
     [](Importer&, const Number& a, const Number& b, bool) {
       return std::optional{flag(a.integer().value_or(0) != 0 || b.integer().value_or(0) != 0)};
     }},
    {"Xor",
     {},
     true,
     [](Importer&, const Number& a, const Number& b, bool) {
       return std::optional{flag((a.integer().value_or(0) != 0) != (b.integer().value_or(0) != 0))};
     }},
};

const Binary& binary_of(std::string_view op) {
  for (const Binary& row : binaries) {
    if (row.op == op) return row;
  }
  return binaries[0];
}

// The value of a size at the sizes given, as a real number.
std::optional<Number> sampled(const Importer& importer, const Number& number) {
  if (const auto value = number.constant()) return Number::real(*value);
  const auto value = importer.sample(number.numerator());
  if (!value) return std::nullopt;
  return Number::real(static_cast<double>(*value) / static_cast<double>(number.denominator()));
}

// Sizes go through real numbers that are no fractions of them, such as 800 / height: decided at the sizes
// given.
std::optional<Number> applied(Importer& importer, const Binary& row, Number left, Number right, bool whole) {
  const auto at_sizes = [&](Number& number) {
    if (number.constant()) return true;
    const auto value = sampled(importer, number);
    if (!value) return false;
    importer.note(
        "a size is computed with real numbers: it was decided at the sizes given, others may differ");
    number = *value;
    return true;
  };
  if (left.exact() != right.exact() && (!at_sizes(left) || !at_sizes(right))) return std::nullopt;
  auto result = row.function(importer, left, right, whole);
  if (result || whole || row.op != "Div" || right.constant() == 0.0) return result;
  if (!at_sizes(left) || !at_sizes(right)) return std::nullopt;
  return row.function(importer, left, right, whole);
}

// The operator on known elements.
std::optional<OnnxValue> folded(Importer& importer, const Binary& row, const OnnxValue& left,
                                const OnnxValue& right, const Shape& shape) {
  if (!left.known() || !right.known() || !small_count(shape)) return std::nullopt;
  const auto a = constant_shape(left.shape);
  const auto b = constant_shape(right.shape);
  const auto to = constant_shape(shape);
  if (!a || !b || !to) return std::nullopt;
  const std::vector<std::size_t> from_a = broadcast_indices(*a, *to);
  const std::vector<std::size_t> from_b = broadcast_indices(*b, *to);
  Content content;
  for (std::size_t i = 0; i < from_a.size(); ++i) {
    const auto number = applied(importer, row, (*left.content)[from_a[i]], (*right.content)[from_b[i]],
                                is_integer(left.element));
    if (!number) return std::nullopt;
    content.push_back(*number);
  }
  return constant(std::move(content), shape, row.boolean ? ElementType::boolean : left.element);
}

// x + 0.5, x / 8: one operand is a single constant.
bool is_scalar(const OnnxValue& value) {
  return value.value == no_value && value.known() && value.content->size() == 1;
}

bool scales(const Binary& row) {
  return row.op == "Add" || row.op == "Sub" || row.op == "Mul" || row.op == "Div";
}

// x op c, or c op x, as factor * x + offset. Without attributes if c depends on sizes.
Attributes scale_constants(const Binary& row, const OnnxValue& scalar, bool scalar_first) {
  Attributes attributes;
  const auto value = scalar.content->front().constant();
  if (!value) return attributes;
  if (row.op == "Add") attributes.set("offset", *value);
  if (row.op == "Sub") {
    if (scalar_first) attributes.set("factor", -1.0);
    attributes.set("offset", scalar_first ? *value : -*value);
  }
  if (row.op == "Mul") attributes.set("factor", *value);
  if (row.op == "Div" && *value != 0) attributes.set("factor", 1.0 / *value);
  return attributes;
}

// Before operator set 7, the second operand could be aligned with a given axis of the first.
OnnxValue aligned(const OnnxNode& node, const OnnxValue& left, OnnxValue right) {
  if (node.integer("broadcast") == 0 || !node.has_attribute("axis")) return right;
  std::int64_t axis = node.integer("axis");
  if (axis < 0) axis += static_cast<std::int64_t>(left.rank());
  while (static_cast<std::int64_t>(right.rank()) + axis < static_cast<std::int64_t>(left.rank())) {
    right.shape.emplace_back(1);
  }
  return right;
}

// Dimensions that are equal for all sizes, or the constant 1. Others match, or stretch, only by value.
bool match_as_expressions(const Shape& left, const Shape& right) {
  for (std::size_t i = 1; i <= std::min(left.size(), right.size()); ++i) {
    const Expr& a = left[left.size() - i];
    const Expr& b = right[right.size() - i];
    if (a != b && !a.is(1) && !b.is(1)) return false;
  }
  return true;
}

Result<OnnxValue> combine(Importer& importer, const OnnxNode& node, const Binary& row, const OnnxValue& left,
                          const OnnxValue& right) {
  auto shape = broadcast_shape(importer, node, left.shape, right.shape);
  if (!shape) return tl::unexpected(shape.error());
  if (auto known = folded(importer, row, left, right, *shape)) return *std::move(known);
  const ElementType element = row.boolean ? ElementType::boolean : left.element;
  const bool real = is_floating(left.element) && !row.boolean;
  if (real && is_scalar(right) && left.shape == *shape) {
    if (row.op == "Pow") {
      const auto exponent = (*right.content)[0].constant();
      if (exponent == 2.0) return importer.emit_one(node, {.op = "mul"}, {left, left});
      if (exponent == 0.5) return importer.emit_one(node, {.op = "sqrt"}, {left});
      Attributes attributes;
      if (exponent) attributes.set("exponent", *exponent);
      return importer.emit_one(node, {.op = "pow", .attributes = attributes}, {left});
    }
    if (scales(row)) {
      return importer.emit_one(node, {.op = "scale", .attributes = scale_constants(row, right, false)},
                               {left});
    }
  }
  if (real && is_scalar(left) && right.shape == *shape && scales(row)) {
    if (row.op == "Div") return pointwise(importer, node, {right}, "Reciprocal", element, 4);
    return importer.emit_one(node, {.op = "scale", .attributes = scale_constants(row, left, true)}, {right});
  }
  const bool ours = real && !row.ours.empty() && row.ours != "pow";
  if (ours && match_as_expressions(left.shape, right.shape)) {
    return importer.emit_one(node, {.op = row.ours, .element = element}, {left, right});
  }
  const std::int64_t operations = row.op == "Pow" ? 10 : 1;
  return pointwise(importer, node, {left, right}, row.op, element, operations);
}

Result<Values> import_binary(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const Binary& row = binary_of(node.op());
  OnnxValue result = node.input(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    if (!node.has(i)) continue;
    auto next = combine(importer, node, row, result, aligned(node, result, node.input(i)));
    if (!next) return tl::unexpected(next.error());
    result = *std::move(next);
  }
  return Values{result};
}

// ---- one operand ----

using UnaryFunction = std::optional<Number> (*)(const Number&);

struct Unary {
  std::string_view op{};
  std::string_view ours{};
  std::int64_t operations = 1;
  bool boolean = false;
  UnaryFunction function = nullptr;
};

template <double (*function)(double)>
std::optional<Number> real_function(const Number& number) {
  return apply(number, function);
}

constexpr Unary unaries[] = {
    {"Neg", "scale", 1, false, [](const Number& x) { return std::optional{Number{0} - x}; }},
    {"Abs", "abs", 1, false,
     [](const Number& x) {
       const auto value = x.constant();
       return std::optional{value && *value < 0 ? Number{0} - x : x};  // sizes are positive
     }},
    {"Floor", {}, 1, false, [](const Number& x) { return std::optional{floor(x)}; }},
    {"Ceil", {}, 1, false, [](const Number& x) { return std::optional{ceil(x)}; }},
    {"Round", {}, 1, false, [](const Number& x) { return std::optional{round(x)}; }},
    {"Sqrt", "sqrt", 8, false, real_function<std::sqrt>},
    {"Exp", "exp", 10, false, real_function<std::exp>},
    {"Log", "log", 10, false, real_function<std::log>},
    {"Reciprocal", {}, 4, false, [](const Number& x) { return divide(Number{1}, x); }},
    {"Sign", {}, 1, false, nullptr},
    {"Sin", {}, 12, false, nullptr},
    {"Cos", {}, 12, false, nullptr},
    {"Tan", {}, 20, false, nullptr},
    {"Asin", {}, 20, false, nullptr},
    {"Acos", {}, 20, false, nullptr},
    {"Atan", {}, 20, false, nullptr},
    {"Sinh", {}, 20, false, nullptr},
    {"Cosh", {}, 20, false, nullptr},
    {"Asinh", {}, 20, false, nullptr},
    {"Acosh", {}, 20, false, nullptr},
    {"Atanh", {}, 20, false, nullptr},
    {"Erf", "erf", 12, false, nullptr},
    {"BitwiseNot", {}, 1, false, nullptr},
    {"Not", {}, 1, true, [](const Number& x) { return std::optional{flag(x.integer().value_or(0) == 0)}; }},
    {"IsNaN", {}, 1, true, nullptr},
    {"IsInf", {}, 1, true, nullptr},
};

Result<Values> import_unary(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const Unary* row = &unaries[0];
  for (const Unary& candidate : unaries) {
    if (candidate.op == node.op()) row = &candidate;
  }
  const OnnxValue& input = node.input(0);
  const ElementType element = row->boolean ? ElementType::boolean : input.element;
  if (input.known() && row->function != nullptr) {
    Content content;
    for (const Number& number : *input.content) {
      const auto result = row->function(number);
      if (!result) break;
      content.push_back(*result);
    }
    if (content.size() == input.content->size())
      return Values{constant(std::move(content), input.shape, element)};
  }
  if (!row->ours.empty() && is_floating(input.element)) {
    Attributes attributes;
    if (row->op == "Neg") attributes.set("factor", -1.0);
    return one(importer.emit_one(node, {.op = row->ours, .attributes = attributes}, {input}));
  }
  return one(pointwise(importer, node, {input}, row->op, element, row->operations));
}

}  // namespace

HandlerRows elementwise_handlers() {
  static const std::vector<HandlerRow> rows = [] {
    std::vector<HandlerRow> all;
    for (const Binary& row : binaries) all.push_back({row.op, import_binary});
    for (const Unary& row : unaries) all.push_back({row.op, import_unary});
    return all;
  }();
  return rows;
}

}  // namespace roofcast::onnx
