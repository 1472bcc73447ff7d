#pragma once
// Integer expressions over named symbols: the dimensions of tensors, trip counts and everything counted from
// them.

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"

namespace roofcast {

struct ExpressionAtom;

/// What each symbol stands for while an expression is evaluated.
using Bindings = std::map<std::string, std::int64_t, std::less<>>;

/// An integer expression in normal form: a sum of terms, each an integer times a product of atoms. An atom is
/// a symbol or something that is no polynomial (a floored quotient, a minimum, a maximum). Two expressions
/// that are the same polynomial compare equal: `4*hidden == hidden*4`. A value; cheap to copy while small.
///
/// An expression whose constants leave 64 bits, or that grows without bound, becomes `broken()` and stays so;
/// evaluating it is an error. All arithmetic on int64 is checked.
class Expr {
 public:
  struct Power {
    std::shared_ptr<const ExpressionAtom> atom;
    std::int64_t exponent = 1;
  };
  struct Term {
    std::int64_t coefficient = 0;
    std::vector<Power> powers{};  ///< sorted; empty for the constant term
  };

  Expr() = default;             // zero
  Expr(std::int64_t constant);  // NOLINT(google-explicit-constructor): a constant is an expression
  static Expr symbol(std::string name);
  static Expr of(std::shared_ptr<const ExpressionAtom> atom);
  static Expr broken_expression();

  bool broken() const { return broken_; }
  bool is_constant() const {
    return !broken_ && (terms_.empty() || (terms_.size() == 1 && terms_[0].powers.empty()));
  }
  /// Only for `is_constant()`.
  std::int64_t constant() const { return terms_.empty() ? 0 : terms_[0].coefficient; }
  bool is(std::int64_t value) const { return is_constant() && constant() == value; }

  const std::vector<Term>& terms() const { return terms_; }
  std::size_t weight() const;  ///< how many atoms it is made of, counted through quotients
  std::set<std::string> symbols() const;

  /// The value at `bindings`; an unbound symbol, overflow and division by zero are errors.
  Result<std::int64_t> evaluate(const Bindings& bindings) const;
  /// Each symbol that `replacements` names replaced by its expression.
  Expr substitute(const std::map<std::string, Expr, std::less<>>& replacements) const;

  Expr& operator+=(const Expr& other) { return *this = *this + other; }
  Expr& operator*=(const Expr& other) { return *this = *this * other; }
  friend Expr operator+(const Expr& left, const Expr& right);
  friend Expr operator-(const Expr& left, const Expr& right);
  friend Expr operator*(const Expr& left, const Expr& right);
  friend std::strong_ordering operator<=>(const Expr& left, const Expr& right);
  friend bool operator==(const Expr& left, const Expr& right) { return (left <=> right) == 0; }
  friend Expr floor_divide(const Expr& dividend, const Expr& divisor);

 private:
  std::vector<Term> terms_{};  // sorted by powers, no zero coefficients
  bool broken_ = false;
};

/// What an expression is made of when it is no polynomial. `left` and `right` are the operands of all but a
/// symbol.
struct ExpressionAtom {
  enum class Kind : std::uint8_t { symbol, floor_divide, minimum, maximum, product };
  Kind kind = Kind::symbol;
  std::string name{};
  Expr left{};
  Expr right{};
  std::size_t weight = 1;
};

/// floor(dividend / divisor); simplified where that is exact.
Expr floor_divide(const Expr& dividend, const Expr& divisor);
/// ceil(dividend / divisor) for a positive divisor.
Expr ceil_divide(const Expr& dividend, const Expr& divisor);
/// dividend - divisor * floor(dividend / divisor)
Expr modulo(const Expr& dividend, const Expr& divisor);
Expr minimum(const Expr& left, const Expr& right);
Expr maximum(const Expr& left, const Expr& right);
Expr product(const std::vector<Expr>& factors);

/// As one would write it: `4*hidden + 2`. `parse_expression` reads it back unless a power is above eight.
std::string to_string(const Expr& expression);
std::string to_string(const ExpressionAtom& atom);

/// Reads `+ - * /` (floored), `%`, parentheses, `min(a, b)`, `max(a, b)`, `ceil_div(a, b)`, integers and
/// symbols; `== != < <= > >=`, which are 0 or 1, and `not`, `and`, `or`, for which all but 0 is true.
Result<Expr> parse_expression(std::string_view text, const Location& where = {});

/// A word of the language of expressions, which cannot name a symbol.
bool is_reserved(std::string_view name);

/// A letter or underscore, then letters, digits and underscores.
bool is_identifier(std::string_view text);

}  // namespace roofcast
