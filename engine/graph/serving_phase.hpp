#pragma once
// A model in one of its phases.

#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.hpp"

namespace roofcast {

/// What every model can do in inference: all of its symbols as they are.
inline constexpr std::string_view plain_phase = "forward";

/// The phases to look at: those asked for, or all that the model has, in its order; `plain_phase` if it has
/// none. An unknown one is an error that lists the model's.
Result<std::vector<std::string>> phases_of(const Graph& model, const std::vector<std::string>& asked);

/// The phase that decides which configuration to take: `decode` if it is among them, since it is repeated for
/// every token, else the last one.
std::string deciding_phase(const std::vector<std::string>& phases);

/// The model with the symbols of a phase, and without phases. `set` are symbols that the user gives; one that
/// the phase defines is an error, because both cannot hold.
Result<Graph> in_phase(const Graph& model, const std::string& phase, const Bindings& set = {});

}  // namespace roofcast
