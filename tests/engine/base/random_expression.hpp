#pragma once
// Random expressions with a second opinion: the same tree, evaluated node by node in 128 bits.

#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "engine/base/expression.hpp"

namespace roofcast {

/// A tree as one would write it down, before anything is simplified.
struct ExpressionTree {
  enum class Kind {
    constant,
    symbol,
    add,
    subtract,
    multiply,
    floor_divide,
    modulo,
    ceil_divide,
    minimum,
    maximum
  };
  Kind kind = Kind::constant;
  std::int64_t constant = 0;
  std::string name{};
  std::shared_ptr<const ExpressionTree> left{};
  std::shared_ptr<const ExpressionTree> right{};
};

inline constexpr std::array<const char*, 4> random_symbols = {"a", "b", "c", "d"};

inline std::shared_ptr<const ExpressionTree> random_tree(std::mt19937_64& random, int depth) {
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random);
  };
  auto tree = std::make_shared<ExpressionTree>();
  if (depth == 0 || pick(0, 5) == 0) {
    if (pick(0, 1) == 0) {
      tree->constant = pick(-6, 12);
    } else {
      tree->kind = ExpressionTree::Kind::symbol;
      tree->name = random_symbols[static_cast<std::size_t>(pick(0, 3))];
    }
    return tree;
  }
  tree->kind = static_cast<ExpressionTree::Kind>(pick(2, 9));
  tree->left = random_tree(random, depth - 1);
  tree->right = random_tree(random, depth - 1);
  return tree;
}

inline Bindings random_bindings(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  Bindings bindings;
  for (const char* name : random_symbols) {
    bindings[name] = std::uniform_int_distribution<std::int64_t>{low, high}(random);
  }
  return bindings;
}

inline Expr build(const ExpressionTree& tree) {
  using Kind = ExpressionTree::Kind;
  if (tree.kind == Kind::constant) return Expr{tree.constant};
  if (tree.kind == Kind::symbol) return Expr::symbol(tree.name);
  const Expr left = build(*tree.left);
  const Expr right = build(*tree.right);
  switch (tree.kind) {
    case Kind::add: return left + right;
    case Kind::subtract: return left - right;
    case Kind::multiply: return left * right;
    case Kind::floor_divide: return floor_divide(left, right);
    case Kind::modulo: return modulo(left, right);
    case Kind::ceil_divide: return ceil_divide(left, right);
    case Kind::minimum: return minimum(left, right);
    default: return maximum(left, right);
  }
}

/// Empty where something is divided by zero, or so large that 64 bits might not hold what is on the way.
inline std::optional<std::int64_t> brute_force(const ExpressionTree& tree, const Bindings& bindings) {
  using Kind = ExpressionTree::Kind;
  if (tree.kind == Kind::constant) return tree.constant;
  if (tree.kind == Kind::symbol) return bindings.at(tree.name);
  const auto left = brute_force(*tree.left, bindings);
  const auto right = brute_force(*tree.right, bindings);
  if (!left || !right) return std::nullopt;
  constexpr std::int64_t large = std::int64_t{1} << 30;
  const auto bounded = [](std::int64_t value) {
    return value > -large && value < large ? std::optional{value} : std::nullopt;
  };
  const auto quotient = [](std::int64_t dividend, std::int64_t divisor) {
    const std::int64_t rest = ((dividend % divisor) + divisor) % divisor;  // has the divisor's sign
    return (dividend - rest) / divisor;
  };
  switch (tree.kind) {
    case Kind::add: return bounded(*left + *right);
    case Kind::subtract: return bounded(*left - *right);
    case Kind::multiply: return bounded(*left * *right);
    case Kind::minimum: return *left < *right ? *left : *right;
    case Kind::maximum: return *left < *right ? *right : *left;
    default: break;
  }
  if (*right == 0) return std::nullopt;
  if (tree.kind == Kind::floor_divide) return quotient(*left, *right);
  if (tree.kind == Kind::modulo) return *left - *right * quotient(*left, *right);
  return quotient(*left + *right - 1, *right);
}

}  // namespace roofcast
