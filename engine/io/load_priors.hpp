#pragma once
// A file of hardware_db/priors as a value, and back.

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/priors.hpp"

namespace roofcast {

/// The priors that a file `extends`, by name.
using FindPriors = std::function<Result<Priors>(const std::string& name)>;

/// Values that the file leaves out are those of what it extends, or else those that the structures start
/// with. Errors: an unknown table or key, a value outside of its physical bounds, a tile that is none.
Result<Priors> load_priors(std::string_view text, const std::string& file, const FindPriors& find);

/// The text of a file that extends `base` with what differs from it.
std::string write_priors(const Priors& priors, const Priors& base);

}  // namespace roofcast
