// Expressions in normal form: sums, products and quotients stay polynomials as long as they can.

#include "engine/base/expression.hpp"

#include <algorithm>
#include <optional>

#include "engine/base/checked_arithmetic.hpp"

namespace roofcast {
namespace {

using Kind = ExpressionAtom::Kind;
using Term = Expr::Term;
using Power = Expr::Power;

constexpr std::size_t most_terms = 256;    // a product beyond this stays a product
constexpr std::size_t most_atoms = 20000;  // an expression beyond this is broken

std::strong_ordering compare(const ExpressionAtom& left, const ExpressionAtom& right) {
  if (&left == &right) return std::strong_ordering::equal;
  if (const auto order = left.kind <=> right.kind; order != 0) return order;
  if (const auto order = left.name.compare(right.name) <=> 0; order != 0) return order;
  if (const auto order = left.weight <=> right.weight; order != 0) return order;
  if (const auto order = left.left <=> right.left; order != 0) return order;
  return left.right <=> right.right;
}

std::strong_ordering compare(const std::vector<Power>& left, const std::vector<Power>& right) {
  const std::size_t shared = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (const auto order = compare(*left[i].atom, *right[i].atom); order != 0) return order;
    if (const auto order = right[i].exponent <=> left[i].exponent; order != 0) return order;
  }
  return right.size() <=> left.size();  // longer products first, the constant term last
}

bool before(const Term& left, const Term& right) {
  return compare(left.powers, right.powers) < 0;
}

std::shared_ptr<const ExpressionAtom> make_atom(Kind kind, const Expr& left, const Expr& right) {
  auto atom = std::make_shared<ExpressionAtom>();
  atom->kind = kind;
  atom->left = left;
  atom->right = right;
  atom->weight = 1 + left.weight() + right.weight();
  return atom;
}

std::vector<Power> multiply(const std::vector<Power>& left, const std::vector<Power>& right) {
  std::vector<Power> result;
  result.reserve(left.size() + right.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() || j < right.size()) {
    if (j == right.size()) {
      result.push_back(left[i++]);
    } else if (i == left.size()) {
      result.push_back(right[j++]);
    } else if (const auto order = compare(*left[i].atom, *right[j].atom); order < 0) {
      result.push_back(left[i++]);
    } else if (order > 0) {
      result.push_back(right[j++]);
    } else {
      result.push_back({left[i].atom, left[i].exponent + right[j].exponent});
      ++i;
      ++j;
    }
  }
  return result;
}

// left / right where right divides left as a product of atoms
std::optional<std::vector<Power>> divide(const std::vector<Power>& left, const std::vector<Power>& right) {
  std::vector<Power> result = left;
  for (const Power& divisor : right) {
    const auto found = std::ranges::find_if(
        result, [&](const Power& power) { return compare(*power.atom, *divisor.atom) == 0; });
    if (found == result.end() || found->exponent < divisor.exponent) return std::nullopt;
    found->exponent -= divisor.exponent;
    if (found->exponent == 0) result.erase(found);
  }
  return result;
}

std::optional<Expr> divide_exactly(const Expr& dividend, const Expr& divisor) {
  if (divisor.terms().size() != 1) return std::nullopt;
  const Term& by = divisor.terms().front();
  Expr result;
  for (const Term& term : dividend.terms()) {
    if (by.coefficient == 0 || by.coefficient == -1 || term.coefficient % by.coefficient != 0)
      return std::nullopt;
    const auto powers = divide(term.powers, by.powers);
    if (!powers) return std::nullopt;
    Expr quotient{term.coefficient / by.coefficient};
    for (const Power& power : *powers) {
      for (std::int64_t n = 0; n < power.exponent; ++n) quotient *= Expr::of(power.atom);
    }
    result = result + quotient;
  }
  return result;
}

}  // namespace

Expr::Expr(std::int64_t constant) {
  if (constant != 0) terms_.push_back({constant, {}});
}

Expr Expr::symbol(std::string name) {
  auto atom = std::make_shared<ExpressionAtom>();
  atom->name = std::move(name);
  return of(std::move(atom));
}

Expr Expr::of(std::shared_ptr<const ExpressionAtom> atom) {
  Expr expression;
  expression.terms_.push_back({1, {{std::move(atom), 1}}});
  return expression;
}

Expr Expr::broken_expression() {
  Expr expression;
  expression.broken_ = true;
  return expression;
}

std::size_t Expr::weight() const {
  std::size_t total = 0;
  for (const Term& term : terms_) {
    for (const Power& power : term.powers) total += power.atom->weight;
  }
  return total;
}

std::strong_ordering operator<=>(const Expr& left, const Expr& right) {
  if (const auto order = left.broken_ <=> right.broken_; order != 0) return order;
  if (const auto order = left.terms_.size() <=> right.terms_.size(); order != 0) return order;
  for (std::size_t i = 0; i < left.terms_.size(); ++i) {
    if (const auto order = left.terms_[i].coefficient <=> right.terms_[i].coefficient; order != 0)
      return order;
    if (const auto order = compare(left.terms_[i].powers, right.terms_[i].powers); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

Expr operator+(const Expr& left, const Expr& right) {
  if (left.broken_ || right.broken_) return Expr::broken_expression();
  Expr result;
  result.terms_.reserve(left.terms_.size() + right.terms_.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.terms_.size() || j < right.terms_.size()) {
    if (j == right.terms_.size() || (i < left.terms_.size() && before(left.terms_[i], right.terms_[j]))) {
      result.terms_.push_back(left.terms_[i++]);
    } else if (i == left.terms_.size() || before(right.terms_[j], left.terms_[i])) {
      result.terms_.push_back(right.terms_[j++]);
    } else {
      const auto sum = checked_add(left.terms_[i].coefficient, right.terms_[j].coefficient);
      if (!sum) return Expr::broken_expression();
      if (*sum != 0) result.terms_.push_back({*sum, left.terms_[i].powers});
      ++i;
      ++j;
    }
  }
  if (result.terms_.size() > most_terms && result.weight() > most_atoms) return Expr::broken_expression();
  return result;
}

Expr operator-(const Expr& left, const Expr& right) {
  return left + Expr{-1} * right;
}

Expr operator*(const Expr& left, const Expr& right) {
  if (left.broken_ || right.broken_) return Expr::broken_expression();
  if (left.terms_.size() * right.terms_.size() > most_terms) {
    auto atom = make_atom(Kind::product, left, right);
    if (atom->weight > most_atoms) return Expr::broken_expression();
    return Expr::of(std::move(atom));
  }
  Expr result;
  for (const Term& first : left.terms_) {
    Expr row;
    for (const Term& second : right.terms_) {
      const auto coefficient = checked_multiply(first.coefficient, second.coefficient);
      if (!coefficient) return Expr::broken_expression();
      row.terms_.push_back({*coefficient, multiply(first.powers, second.powers)});
    }
    std::ranges::sort(row.terms_, before);
    result = result + row;
  }
  constexpr std::int64_t highest_power = 1'000'000;
  for (const Term& term : result.terms_) {
    for (const Power& power : term.powers) {
      if (power.exponent > highest_power) return Expr::broken_expression();
    }
  }
  return result;
}

Expr floor_divide(const Expr& dividend, const Expr& divisor) {
  if (dividend.broken_ || divisor.broken_) return Expr::broken_expression();
  if (divisor.is(1)) return dividend;
  if (dividend.terms_.empty() && !divisor.is(0)) return Expr{0};
  if (dividend.is_constant() && divisor.is_constant()) {
    const auto quotient = checked_floor_divide(dividend.constant(), divisor.constant());
    if (quotient) return Expr{*quotient};
    if (!divisor.is(0)) return Expr::broken_expression();
  }
  if (!divisor.is(0)) {
    if (auto exact = divide_exactly(dividend, divisor)) return *exact;
  }
  Expr whole;
  Expr rest = dividend;
  if (divisor.is_constant() && divisor.constant() > 1) {
    // floor((d*A + r) / d) = A + floor(r / d) for every integer A
    const std::int64_t by = divisor.constant();
    rest = Expr{};
    for (const Term& term : dividend.terms_) {
      Expr part;
      const std::int64_t quotient = floored(term.coefficient, by);
      const std::int64_t left_over = term.coefficient - quotient * by;
      if (quotient != 0) {
        part.terms_ = {{quotient, term.powers}};
        whole = whole + part;
      }
      if (left_over != 0) {
        part.terms_ = {{left_over, term.powers}};
        rest = rest + part;
      }
    }
    if (rest.is_constant()) return whole;  // 0 <= rest < d
    // floor((floor(x / a) + k) / b) = floor((x + k*a) / (a*b)) for positive a, b
    const Term& head = rest.terms_.front();
    const bool lone_atom =
        head.coefficient == 1 && head.powers.size() == 1 && head.powers[0].exponent == 1 &&
        (rest.terms_.size() == 1 || (rest.terms_.size() == 2 && rest.terms_[1].powers.empty()));
    if (lone_atom && head.powers[0].atom->kind == Kind::floor_divide) {
      const ExpressionAtom& inner = *head.powers[0].atom;
      if (inner.right.is_constant() && inner.right.constant() > 0) {
        const Expr constant{rest.terms_.size() == 2 ? rest.terms_[1].coefficient : 0};
        return whole + floor_divide(inner.left + constant * inner.right, inner.right * divisor);
      }
    }
  }
  auto atom = make_atom(Kind::floor_divide, rest, divisor);
  if (atom->weight > most_atoms) return Expr::broken_expression();
  return whole + Expr::of(std::move(atom));
}

Expr ceil_divide(const Expr& dividend, const Expr& divisor) {
  return floor_divide(dividend + divisor - Expr{1}, divisor);
}

Expr modulo(const Expr& dividend, const Expr& divisor) {
  return dividend - divisor * floor_divide(dividend, divisor);
}

namespace {

Expr extreme(Kind kind, const Expr& left, const Expr& right) {
  if (left.broken() || right.broken()) return Expr::broken_expression();
  const Expr difference = left - right;
  if (difference.is_constant()) {
    return ((difference.constant() < 0) == (kind == Kind::minimum)) ? left : right;
  }
  const bool in_order = left < right;
  auto atom = make_atom(kind, in_order ? left : right, in_order ? right : left);
  if (atom->weight > most_atoms) return Expr::broken_expression();
  return Expr::of(std::move(atom));
}

}  // namespace

Expr minimum(const Expr& left, const Expr& right) {
  return extreme(Kind::minimum, left, right);
}
Expr maximum(const Expr& left, const Expr& right) {
  return extreme(Kind::maximum, left, right);
}

Expr product(const std::vector<Expr>& factors) {
  Expr result{1};
  for (const Expr& factor : factors) result *= factor;
  return result;
}

}  // namespace roofcast
