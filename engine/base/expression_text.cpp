// Expressions as people write them.

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/expression.hpp"

namespace roofcast {
namespace {

using Kind = ExpressionAtom::Kind;
using Term = Expr::Term;
using Power = Expr::Power;

}  // namespace

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
