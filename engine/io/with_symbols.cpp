#include <fmt/format.h>

#include <map>

#include "engine/graph/symbol_order.hpp"
#include "engine/io/model_file.hpp"

namespace roofcast {

Result<ModelFile> with_symbols(ModelFile model, const std::vector<Symbol>& redefined) {
  std::map<std::string, Symbol> symbols;
  std::vector<std::string> names;
  for (const Symbol& symbol : model.symbols) {
    symbols[symbol.name] = symbol;
    names.push_back(symbol.name);
  }
  Diagnostics problems;
  for (const Symbol& symbol : redefined) {
    const auto known = symbols.find(symbol.name);
    if (known == symbols.end()) {
      problems.push_back({symbol.where, fmt::format("'{}' has no symbol '{}'", model.name, symbol.name),
                          did_you_mean(symbol.name, names)});
      continue;
    }
    for (const std::string& used : symbol.definition.symbols()) {
      if (symbols.contains(used)) continue;
      problems.push_back({symbol.where, fmt::format("unknown symbol '{}'", used), did_you_mean(used, names)});
    }
    known->second = symbol;
  }
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  auto sorted = order_symbols(symbols);
  if (!sorted) return tl::unexpected(sorted.error());
  model.symbols = *std::move(sorted);
  return model;
}

}  // namespace roofcast
