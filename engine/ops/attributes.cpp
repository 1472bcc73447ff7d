#include "engine/ops/attributes.hpp"

namespace roofcast {
namespace {

template <class T>
const T* find(const std::map<std::string, Attribute, std::less<>>& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

Expr Attributes::size(std::string_view name, const Expr& fallback) const {
  const auto* value = find<Expr>(values_, name);
  return value != nullptr ? *value : fallback;
}

std::vector<Expr> Attributes::sizes(std::string_view name, const std::vector<Expr>& fallback) const {
  if (const auto* list = find<std::vector<Expr>>(values_, name)) return *list;
  if (const auto* single = find<Expr>(values_, name)) return {*single};
  return fallback;
}

bool Attributes::flag(std::string_view name, bool fallback) const {
  const auto* value = find<bool>(values_, name);
  return value != nullptr ? *value : fallback;
}

double Attributes::number(std::string_view name, double fallback) const {
  const auto* value = find<double>(values_, name);
  return value != nullptr ? *value : fallback;
}

std::string Attributes::word(std::string_view name, std::string_view fallback) const {
  const auto* value = find<std::string>(values_, name);
  return value != nullptr ? *value : std::string(fallback);
}

}  // namespace roofcast
