#pragma once
// The options and commands of `simulate`, described once for parsing and for --help.

#include <string>

#include "tools/options.hpp"

namespace roofcast {

enum class Command : std::uint8_t { estimate, explain, list, show, validate };

/// What the command line asks for. If `stop` is set, all is said: `exit_code` is what to leave with.
struct CommandLine {
  Command command = Command::estimate;
  Options options{};
  bool stop = false;
  int exit_code = exit_ok;
};

CommandLine parse_command_line(int argc, char** argv);

}  // namespace roofcast
