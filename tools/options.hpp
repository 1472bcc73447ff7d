#pragma once
// What the command line says, before it means anything.

#include <string>
#include <vector>

namespace roofcast {

/// Exit codes; scripts rely on them.
enum ExitCode : int {
  exit_ok = 0,
  exit_internal = 1,
  exit_usage = 2,
  exit_does_not_fit = 3,
  exit_some_failed = 5,
  exit_no_device = 6
};

struct OutputOptions {
  std::string format{};  ///< empty: from the file's ending, else table
  bool json = false;
  std::string file{};  ///< empty: standard output
  bool wide = false;
  bool no_color = false;
  bool quiet = false;
};

struct ModelOptions {
  std::vector<std::string> hardware{};
  std::vector<std::string> models{};
  std::string task = "inference";
  std::string precisions{};
  std::string batches{};
  std::string phases{};
  std::vector<std::string> symbols{};
  std::vector<std::string> shapes{};
  bool allow_unknown = false;
  std::string optimizer{};
  std::string runtime{};    ///< empty: the default of the task
  std::string attention{};  ///< "fused" or "unfused"; empty: as the runtime has it
  bool channels_last = false;
  bool input_copy = false;
  std::string input_rate{};  ///< samples per second; empty: no limit
  std::string price{};
  bool no_calibration = false;
};

struct ValidateOptions {
  std::string measured{};  ///< folder with tables
  std::string by = "kernel";
  std::string only{};
  std::string rows{};  ///< file for one line a measured row; empty: none
  std::string baseline{};
  bool calibrated = false;  ///< with the profiles of cards
};

struct Options {
  ModelOptions run{};
  OutputOptions output{};
  ValidateOptions validate{};
  std::string threads{};  ///< empty: as many as the machine has
  bool all = false;
  bool require_fit = false;
  bool expand = false;
  std::string topic{};  ///< of `list` and `show`: hw, models, ...
  std::string name{};   ///< of `show`
};

}  // namespace roofcast
