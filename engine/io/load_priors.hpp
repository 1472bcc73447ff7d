#pragma once
// Reads the efficiencies that are assumed where nothing was measured: hardware_db/priors/data-sheet.toml.

#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/runtime.hpp"

namespace roofcast {

/// Every kernel family needs its table; efficiencies lie in (0, 1].
Result<Priors> load_priors(std::string_view text, const std::string& file);

}  // namespace roofcast
