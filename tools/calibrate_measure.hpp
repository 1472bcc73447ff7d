#pragma once
// Measuring a device into a folder of tables.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "kernels/backend.hpp"

namespace roofcast {

struct MeasureOptions {
  std::string backend = "cpu";
  std::string folder{};
  std::string hardware{};     ///< empty: from the device's name
  std::string device_file{};  ///< empty: none
  bool full = false;
  bool resume = false;
  bool list = false;
  bool dry_run = false;
  bool quiet = false;
};

/// Those of all commands that measure: which probes, and whether they run.
void add_probe_options(CLI::App& app, MeasureOptions& options);

/// By its name in the list of backends. Errors: a name that is unknown, a device that is not there.
Result<std::unique_ptr<Backend>> open_backend(const std::string& name);

/// Runs all probes, or those that `resume` finds missing. Returns an exit code: `exit_some_failed` if some
/// failed and the others are in the tables.
int measure_command(const MeasureOptions& options);

}  // namespace roofcast
