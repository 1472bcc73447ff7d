#pragma once
// The values of all of a model's symbols.

#include <vector>

#include "engine/graph/graph.hpp"

namespace roofcast {

/// `given`, the defaults of the rest, and what derived symbols come to.
Result<Bindings> all_symbols(const std::vector<Symbol>& symbols, const Bindings& given);

}  // namespace roofcast
