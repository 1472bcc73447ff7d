#include "engine/io/import_onnx/number.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace roofcast::onnx {
namespace {

constexpr double largest_exact = 9.0e15;  // below 2^53, where doubles are whole numbers exactly

bool is_power_of_two_fraction(double value, std::int64_t denominator) {
  const double scaled = value * static_cast<double>(denominator);
  return std::abs(scaled) < largest_exact && scaled == std::trunc(scaled);
}

}  // namespace

Number Number::real(double value) {
  Number number;
  number.real_ = value;
  number.exact_ = false;
  if (!std::isfinite(value)) return number;
  // Halves, quarters and so on, then what a float holds of thirds, tenths and the like.
  constexpr std::int64_t largest_denominator = 4096;
  for (std::int64_t denominator = 1; denominator <= largest_denominator; denominator *= 2) {
    if (is_power_of_two_fraction(value, denominator)) {
      return fraction(Expr{static_cast<std::int64_t>(value * static_cast<double>(denominator))}, denominator);
    }
  }
  return number;
}

Number Number::fraction(Expr numerator, std::int64_t denominator) {
  Number number;
  if (denominator < 0) {
    numerator = Expr{0} - numerator;
    denominator = -denominator;
  }
  std::int64_t common = denominator;
  for (const Expr::Term& term : numerator.terms()) common = std::gcd(common, term.coefficient);
  if (common > 1) {
    numerator = floor_divide(numerator, Expr{common});
    denominator /= common;
  }
  number.numerator_ = std::move(numerator);
  number.denominator_ = denominator;
  return number;
}

std::optional<Expr> Number::whole() const {
  if (!exact_ || denominator_ != 1 || numerator_.broken()) return std::nullopt;
  return numerator_;
}

std::optional<double> Number::constant() const {
  if (!exact_) return real_;
  if (!numerator_.is_constant()) return std::nullopt;
  return static_cast<double>(numerator_.constant()) / static_cast<double>(denominator_);
}

std::optional<std::int64_t> Number::integer() const {
  const auto expression = whole();
  if (!expression || !expression->is_constant()) return std::nullopt;
  return expression->constant();
}

namespace {

// Whatever is not exact has a value.
double value_of(const Number& number) {
  return number.constant().value_or(std::numeric_limits<double>::quiet_NaN());
}

// The product of two denominators, or nothing when it leaves the range of sensible fractions.
std::optional<std::int64_t> common_denominator(const Number& left, const Number& right) {
  constexpr std::int64_t largest = 1LL << 40;
  const std::int64_t result = std::lcm(left.denominator(), right.denominator());
  if (result <= 0 || result > largest) return std::nullopt;
  return result;
}

}  // namespace

Number operator+(const Number& left, const Number& right) {
  const auto common = common_denominator(left, right);
  if (!left.exact() || !right.exact() || !common) return Number::real(value_of(left) + value_of(right));
  return Number::fraction(left.numerator() * Expr{*common / left.denominator()} +
                              right.numerator() * Expr{*common / right.denominator()},
                          *common);
}

Number operator-(const Number& left, const Number& right) {
  return left + right * Number{-1};
}

Number operator*(const Number& left, const Number& right) {
  constexpr std::int64_t largest = 1LL << 20;
  if (!left.exact() || !right.exact() || left.denominator() > largest || right.denominator() > largest) {
    return Number::real(value_of(left) * value_of(right));
  }
  return Number::fraction(left.numerator() * right.numerator(), left.denominator() * right.denominator());
}

std::optional<Number> divide(const Number& left, const Number& right) {
  const auto divisor = right.constant();
  if (divisor == 0.0) return std::nullopt;
  if (left.exact() && right.exact()) {
    if (left.numerator() == right.numerator()) {
      return Number::fraction(Expr{right.denominator()}, left.denominator());
    }
    if (const auto whole = right.numerator(); whole.is_constant()) {
      return left * Number::fraction(Expr{right.denominator()}, whole.constant());
    }
    // a symbol may cancel: (4 n) / n
    const Expr quotient = floor_divide(left.numerator(), right.numerator());
    if (quotient * right.numerator() == left.numerator()) {
      return Number{quotient} * Number::fraction(Expr{right.denominator()}, left.denominator());
    }
    return std::nullopt;
  }
  if (!divisor || !left.constant()) return std::nullopt;
  return Number::real(*left.constant() / *divisor);
}

Number floor(const Number& number) {
  if (!number.exact()) return Number::real(std::floor(value_of(number)));
  return Number{floor_divide(number.numerator(), Expr{number.denominator()})};
}

Number ceil(const Number& number) {
  if (!number.exact()) return Number::real(std::ceil(value_of(number)));
  return Number{ceil_divide(number.numerator(), Expr{number.denominator()})};
}

Number round(const Number& number) {
  if (const auto value = number.constant()) return Number::real(std::nearbyint(*value));
  return floor(number + Number::fraction(Expr{1}, 2));
}

Number truncate(const Number& number) {
  if (const auto value = number.constant()) return *value < 0 ? ceil(number) : floor(number);
  return floor(number);
}

Number flag(bool value) {
  return Number{value ? 1 : 0};
}

std::optional<Number> smaller(const Number& left, const Number& right, bool smallest) {
  if (left.whole() && right.whole()) {
    return Number{smallest ? minimum(*left.whole(), *right.whole()) : maximum(*left.whole(), *right.whole())};
  }
  const auto a = left.constant();
  const auto b = right.constant();
  if (!a || !b) return std::nullopt;
  return Number::real(smallest ? std::min(*a, *b) : std::max(*a, *b));
}

std::optional<int> sign(const Expr& expression) {
  if (expression.broken()) return std::nullopt;
  if (expression.is_constant()) {
    return expression.constant() < 0 ? -1 : expression.constant() > 0 ? 1 : 0;
  }
  // Symbols are at least 1. Quotients, minima and maxima of sizes are at least 0, so they may vanish.
  std::int64_t least = 0;
  std::int64_t most = 0;
  bool rises = false;
  bool falls = false;
  for (const Expr::Term& term : expression.terms()) {
    bool positive = true;  // all atoms are symbols
    for (const Expr::Power& power : term.powers) {
      positive = positive && power.atom->kind == ExpressionAtom::Kind::symbol;
    }
    const std::int64_t at_least = positive ? term.coefficient : 0;
    if (term.powers.empty()) {
      least += term.coefficient;
      most += term.coefficient;
    } else if (term.coefficient > 0) {
      rises = true;
      least += at_least;
    } else {
      falls = true;
      most += at_least;
    }
  }
  if (!falls && least > 0) return 1;
  if (!rises && most < 0) return -1;
  return std::nullopt;
}

}  // namespace roofcast::onnx
