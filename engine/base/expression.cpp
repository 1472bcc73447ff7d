#include "engine/base/expression.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace roofcast {
namespace {

using Kind = ExpressionAtom::Kind;
using Term = Expr::Term;
using Power = Expr::Power;

constexpr std::size_t most_terms = 256;      // a product beyond this stays a product
constexpr std::size_t most_atoms = 20000;    // an expression beyond this is broken

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

bool before(const Term& left, const Term& right) { return compare(left.powers, right.powers) < 0; }

std::shared_ptr<const ExpressionAtom> make_atom(Kind kind, const Expr& left, const Expr& right) {
  auto atom = std::make_shared<ExpressionAtom>();
  atom->kind = kind;
  atom->left = left;
  atom->right = right;
  atom->weight = 1 + left.weight() + right.weight();
  return atom;
}

std::optional<std::int64_t> add(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) return std::nullopt;
  return sum;
}

std::optional<std::int64_t> multiply(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(left, right, &result)) return std::nullopt;
  return result;
}

// floor(a / b) for b != 0 and not (a = -2^63, b = -1)
std::int64_t floored(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  const bool rounded_up = dividend % divisor != 0 && ((dividend < 0) != (divisor < 0));
  return rounded_up ? quotient - 1 : quotient;
}

std::optional<std::int64_t> checked_floor_divide(std::int64_t dividend, std::int64_t divisor) {
  if (divisor == 0 || (divisor == -1 && dividend == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  return floored(dividend, divisor);
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
    if (by.coefficient == 0 || by.coefficient == -1 || term.coefficient % by.coefficient != 0) return std::nullopt;
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

std::string to_string(const ExpressionAtom& atom) {
  const auto operand = [](const Expr& expression) {
    const std::string text = roofcast::to_string(expression);
    return is_identifier(text) || (expression.is_constant() && expression.constant() >= 0)
               ? text
               : fmt::format("({})", text);
  };
  switch (atom.kind) {
    case Kind::symbol: return atom.name;
    case Kind::floor_divide: return fmt::format("({} / {})", operand(atom.left), operand(atom.right));
    case Kind::minimum:
      return fmt::format("min({}, {})", roofcast::to_string(atom.left), roofcast::to_string(atom.right));
    case Kind::maximum:
      return fmt::format("max({}, {})", roofcast::to_string(atom.left), roofcast::to_string(atom.right));
    case Kind::product: return fmt::format("({} * {})", operand(atom.left), operand(atom.right));
  }
  return {};
}

Result<std::int64_t> evaluate(const ExpressionAtom& atom, const Bindings& bindings) {
  if (atom.kind == Kind::symbol) {
    const auto found = bindings.find(atom.name);
    if (found == bindings.end()) return fail(fmt::format("symbol '{}' has no value", atom.name));
    return found->second;
  }
  const auto left = atom.left.evaluate(bindings);
  if (!left) return left;
  const auto right = atom.right.evaluate(bindings);
  if (!right) return right;
  switch (atom.kind) {
    case Kind::floor_divide: {
      if (*right == 0) return fail(fmt::format("'{}' divides by zero", to_string(atom)));
      const auto quotient = checked_floor_divide(*left, *right);
      if (!quotient) return fail(fmt::format("'{}' overflows 64 bits", to_string(atom)));
      return *quotient;
    }
    case Kind::minimum: return std::min(*left, *right);
    case Kind::maximum: return std::max(*left, *right);
    default: {
      const auto result = multiply(*left, *right);
      if (!result) return fail(fmt::format("'{}' overflows 64 bits", to_string(atom)));
      return *result;
    }
  }
}

void collect_symbols(const Expr& expression, std::set<std::string>& names) {
  for (const Term& term : expression.terms()) {
    for (const Power& power : term.powers) {
      if (power.atom->kind == Kind::symbol) {
        names.insert(power.atom->name);
      } else {
        collect_symbols(power.atom->left, names);
        collect_symbols(power.atom->right, names);
      }
    }
  }
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

std::set<std::string> Expr::symbols() const {
  std::set<std::string> names;
  collect_symbols(*this, names);
  return names;
}

std::strong_ordering operator<=>(const Expr& left, const Expr& right) {
  if (const auto order = left.broken_ <=> right.broken_; order != 0) return order;
  if (const auto order = left.terms_.size() <=> right.terms_.size(); order != 0) return order;
  for (std::size_t i = 0; i < left.terms_.size(); ++i) {
    if (const auto order = left.terms_[i].coefficient <=> right.terms_[i].coefficient; order != 0) return order;
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
      const auto sum = add(left.terms_[i].coefficient, right.terms_[j].coefficient);
      if (!sum) return Expr::broken_expression();
      if (*sum != 0) result.terms_.push_back({*sum, left.terms_[i].powers});
      ++i;
      ++j;
    }
  }
  if (result.terms_.size() > most_terms && result.weight() > most_atoms) return Expr::broken_expression();
  return result;
}

Expr operator-(const Expr& left, const Expr& right) { return left + Expr{-1} * right; }

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
      const auto coefficient = multiply(first.coefficient, second.coefficient);
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
    const bool lone_atom = head.coefficient == 1 && head.powers.size() == 1 && head.powers[0].exponent == 1 &&
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

Expr minimum(const Expr& left, const Expr& right) { return extreme(Kind::minimum, left, right); }
Expr maximum(const Expr& left, const Expr& right) { return extreme(Kind::maximum, left, right); }

Expr product(const std::vector<Expr>& factors) {
  Expr result{1};
  for (const Expr& factor : factors) result *= factor;
  return result;
}

Result<std::int64_t> Expr::evaluate(const Bindings& bindings) const {
  if (broken_) return fail("an expression overflows 64 bits");
  std::int64_t total = 0;
  for (const Term& term : terms_) {
    std::int64_t value = term.coefficient;
    for (const Power& power : term.powers) {
      const auto base = roofcast::evaluate(*power.atom, bindings);
      if (!base) return base;
      if (*base == 1) continue;
      if (*base == 0 || value == 0) {  // the other factors still have to have values
        value = 0;
        continue;
      }
      for (std::int64_t n = 0; n < power.exponent; ++n) {
        const auto next = multiply(value, *base);
        if (!next) return fail(fmt::format("'{}' overflows 64 bits", to_string(*this)));
        value = *next;
      }
    }
    const auto sum = add(total, value);
    if (!sum) return fail(fmt::format("'{}' overflows 64 bits", to_string(*this)));
    total = *sum;
  }
  return total;
}

Expr Expr::substitute(const std::map<std::string, Expr, std::less<>>& replacements) const {
  if (broken_ || replacements.empty()) return *this;
  Expr result;
  for (const Term& term : terms_) {
    Expr value{term.coefficient};
    for (const Power& power : term.powers) {
      const ExpressionAtom& atom = *power.atom;
      Expr base;
      if (atom.kind == Kind::symbol) {
        const auto found = replacements.find(atom.name);
        base = found != replacements.end() ? found->second : Expr::of(power.atom);
      } else {
        const Expr left = atom.left.substitute(replacements);
        const Expr right = atom.right.substitute(replacements);
        switch (atom.kind) {
          case Kind::floor_divide: base = floor_divide(left, right); break;
          case Kind::minimum: base = minimum(left, right); break;
          case Kind::maximum: base = maximum(left, right); break;
          default: base = left * right;
        }
      }
      for (std::int64_t n = 0; n < power.exponent && !value.broken(); ++n) value *= base;
    }
    result += value;
  }
  return result;
}

std::string to_string(const Expr& expression) {
  if (expression.broken()) return "(overflow)";
  if (expression.terms().empty()) return "0";
  std::string text;
  for (const Term& term : expression.terms()) {
    std::string factors;
    for (const Power& power : term.powers) {
      constexpr std::int64_t longest_product = 8;
      const bool spelled_out = power.exponent <= longest_product;
      for (std::int64_t n = 0; n < (spelled_out ? power.exponent : 1); ++n) {
        if (!factors.empty()) factors += "*";
        factors += to_string(*power.atom);
      }
      if (!spelled_out) factors += fmt::format("^{}", power.exponent);
    }
    const bool negative = term.coefficient < 0;
    if (!text.empty()) {
      text += negative ? " - " : " + ";
    } else if (negative) {
      text += "-";
    }
    // The magnitude of -2^63 has no int64.
    const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                             : static_cast<std::uint64_t>(term.coefficient);
    if (factors.empty()) {
      text += fmt::format("{}", magnitude);
    } else {
      text += magnitude == 1 ? factors : fmt::format("{}*{}", magnitude, factors);
    }
  }
  return text;
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || digit(c); });
}

}  // namespace roofcast
