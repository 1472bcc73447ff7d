#pragma once
// One element of a tensor that is known while a graph is read: a size, or something computed from sizes.

#include <optional>
#include <vector>

#include "engine/base/expression.hpp"

namespace roofcast::onnx {

/// Either exact, an integer expression over a positive integer, or only a real number.
class Number {
 public:
  Number() = default;
  Number(Expr value) : numerator_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Number(std::int64_t value) : numerator_(value) {}     // NOLINT(google-explicit-constructor)
  /// Exact if it is a fraction of small numbers.
  static Number real(double value);
  static Number fraction(Expr numerator, std::int64_t denominator);

  /// The expression if it is a whole one.
  std::optional<Expr> whole() const;
  /// The value if no symbol is in it.
  std::optional<double> constant() const;
  std::optional<std::int64_t> integer() const;
  bool exact() const { return exact_; }
  const Expr& numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }

  friend Number operator+(const Number& left, const Number& right);
  friend Number operator-(const Number& left, const Number& right);
  friend Number operator*(const Number& left, const Number& right);
  /// Of reals; a division by something that is not a constant is none.
  friend std::optional<Number> divide(const Number& left, const Number& right);

 private:
  Expr numerator_{};
  std::int64_t denominator_ = 1;
  double real_ = 0;
  bool exact_ = true;
};

Number floor(const Number& number);
Number ceil(const Number& number);
Number round(const Number& number);     ///< half to even for constants, half up for symbols
Number truncate(const Number& number);  ///< towards zero, as a cast does

Number flag(bool value);  ///< 1 or 0
/// The smaller (or larger) of two, if it can be told.
std::optional<Number> smaller(const Number& left, const Number& right, bool smallest);

/// Values of constants only: f applied, else nothing.
template <class Function>
std::optional<Number> apply(const Number& number, Function&& function) {
  const auto value = number.constant();
  if (!value) return std::nullopt;
  return Number::real(function(*value));
}

/// -1, 0 or 1 as far as it can be told when every symbol is at least 1.
std::optional<int> sign(const Expr& expression);

}  // namespace roofcast::onnx
