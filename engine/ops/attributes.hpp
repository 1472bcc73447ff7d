#pragma once
// What a model file says of a node beyond its inputs: sizes, flags, words.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/expression.hpp"

namespace roofcast {

using Attribute = std::variant<Expr, std::vector<Expr>, bool, double, std::string>;

enum class AttributeKind : std::uint8_t { size, sizes, flag, number, word };

/// One attribute that an operator understands. `sizes` also takes a single size.
struct AttributeRule {
  std::string_view name{};
  AttributeKind kind = AttributeKind::size;
  bool required = false;
  std::string_view summary{};
};

/// The attributes of one node. The readers return the given fallback when the attribute is absent; a required
/// one has been checked before an operator sees it.
class Attributes {
 public:
  void set(std::string name, Attribute value) { values_.insert_or_assign(std::move(name), std::move(value)); }
  bool has(std::string_view name) const { return values_.contains(name); }
  const std::map<std::string, Attribute, std::less<>>& all() const { return values_; }
  std::map<std::string, Attribute, std::less<>>& all() { return values_; }

  Expr size(std::string_view name, const Expr& fallback = Expr{0}) const;
  /// A list; a single size is a list of one.
  std::vector<Expr> sizes(std::string_view name, const std::vector<Expr>& fallback = {}) const;
  bool flag(std::string_view name, bool fallback = false) const;
  double number(std::string_view name, double fallback = 0.0) const;
  std::string word(std::string_view name, std::string_view fallback = {}) const;

 private:
  std::map<std::string, Attribute, std::less<>> values_{};
};

}  // namespace roofcast
