#include "engine/graph/symbol_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace roofcast {

// Depth first, so that a definition comes after what it needs; a symbol met again on the way is defined by
// itself.
Result<std::vector<Symbol>> order_symbols(const std::map<std::string, Symbol>& symbols) {
  std::vector<Symbol> sorted;
  std::set<std::string> done;
  for (const auto& [start, unused] : symbols) {
    std::vector<std::pair<std::string, std::vector<std::string>>> path;  // a symbol and what it still needs
    const auto open = [&](const std::string& name) {
      const auto needs = symbols.at(name).definition.symbols();
      path.emplace_back(name, std::vector<std::string>(needs.begin(), needs.end()));
    };
    if (!done.contains(start)) open(start);
    while (!path.empty()) {
      auto& [name, needs] = path.back();
      if (needs.empty()) {
        sorted.push_back(symbols.at(name));
        done.insert(name);
        path.pop_back();
        continue;
      }
      const std::string next = needs.back();
      needs.pop_back();
      if (done.contains(next) || !symbols.contains(next)) continue;
      const auto again =
          std::ranges::find(path, next, &std::pair<std::string, std::vector<std::string>>::first);
      if (again != path.end()) {
        std::string chain;
        for (auto at = again; at != path.end(); ++at) chain += at->first + " -> ";
        return fail(fmt::format("symbol '{}' is defined by itself: {}{}", next, chain, next),
                    symbols.at(next).where);
      }
      open(next);
    }
  }
  return sorted;
}

}  // namespace roofcast
