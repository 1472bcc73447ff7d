#pragma once
// A file of hardware_db/calibrations as a value, and back.

#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/calibration.hpp"

namespace roofcast {

/// The profile of `device`, whose architecture has the priors `architecture`. Errors: as for `load_priors`,
/// and a profile of another card or of another architecture.
Result<Calibration> load_calibration(std::string_view text, const std::string& file, const Device& device,
                                     const Priors& architecture);

/// The text of a file that extends `architecture` with what differs from it.
std::string write_calibration(const Calibration& calibration, const Priors& architecture);

}  // namespace roofcast
