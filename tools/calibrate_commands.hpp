#pragma once
// The commands of `calibrate`. Each declares its options and gives back what runs it.

#include <CLI/CLI.hpp>
#include <functional>

#include "engine/io/data_folder.hpp"

namespace roofcast {

/// Returns an exit code.
using CalibrateRun = std::function<int(const DataFolder& data)>;

/// One line of the list in calibrate.cpp.
struct CalibrateCommand {
  const char* name = "";
  const char* summary = "";
  CalibrateRun (*declare)(CLI::App& app) = nullptr;
};

CalibrateRun declare_calibrate_card(CLI::App& app);
CalibrateRun declare_calibrate_measure(CLI::App& app);
CalibrateRun declare_calibrate_fit(CLI::App& app);

}  // namespace roofcast
