#include "engine/decide/symbols.hpp"

#include <fmt/format.h>

namespace roofcast {

Result<Bindings> all_symbols(const std::vector<Symbol>& symbols, const Bindings& given) {
  Bindings values = given;
  for (const Symbol& symbol : symbols) {
    if (values.contains(symbol.name)) continue;
    const auto value = symbol.definition.evaluate(values);
    if (!value) {
      return fail(fmt::format("symbol '{}': {}", symbol.name, value.error().front().message), symbol.where);
    }
    values[symbol.name] = *value;
  }
  return values;
}

}  // namespace roofcast
