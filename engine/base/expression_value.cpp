// What an expression comes to: its value at given symbols, or with symbols replaced.

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/checked_arithmetic.hpp"
#include "engine/base/expression.hpp"

namespace roofcast {
namespace {

using Kind = ExpressionAtom::Kind;
using Term = Expr::Term;
using Power = Expr::Power;

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
      const auto result = checked_multiply(*left, *right);
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

std::set<std::string> Expr::symbols() const {
  std::set<std::string> names;
  collect_symbols(*this, names);
  return names;
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
        const auto next = checked_multiply(value, *base);
        if (!next) return fail(fmt::format("'{}' overflows 64 bits", to_string(*this)));
        value = *next;
      }
    }
    const auto sum = checked_add(total, value);
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

}  // namespace roofcast
