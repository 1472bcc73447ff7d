#pragma once
// Fitting a card's profile to tables of its measured operators.

#include <string>

#include "engine/hardware/calibration.hpp"
#include "engine/io/data_folder.hpp"
#include "tools/calibrate_samples.hpp"

namespace roofcast {

/// What the user says. Where the samples come from is not in their tables.
struct FitCommandOptions {
  SampleChoice samples{};
  std::string hardware{};
  std::string output{};  ///< file for the profile; empty: none
  std::string split = "all";
  std::string method = "measured";
  double power_limit_watts = 0;  ///< 0: unknown
  Provenance provenance{};
};

/// Prints errors before and after, and writes the profile. Returns an exit code.
int fit_command(const DataFolder& data, const FitCommandOptions& options);

}  // namespace roofcast
