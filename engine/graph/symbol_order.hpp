#pragma once
// Symbols in an order in which definitions only need earlier ones.

#include <map>
#include <string>
#include <vector>

#include "engine/graph/graph.hpp"

namespace roofcast {

/// Sorted by what they need, else by name. A symbol that is defined by itself is an error. Symbols that a
/// definition names and that are not there are left to others.
Result<std::vector<Symbol>> order_symbols(const std::map<std::string, Symbol>& symbols);

}  // namespace roofcast
