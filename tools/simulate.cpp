// simulate: predicts time and memory of neural networks on GPUs.

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>

#include "engine/base/threads.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/locate_data.hpp"
#include "tools/output.hpp"
#include "tools/parse_values.hpp"

namespace roofcast {
namespace {

int run(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  if (line.stop) return line.exit_code;
  std::optional<ThreadLimit> limit;
  if (!line.options.threads.empty()) {
    const auto threads = parse_threads(line.options.threads);
    if (!threads) return refuse(threads.error());
    limit.emplace(*threads);
  }
  const auto data = locate_data(argc > 0 ? argv[0] : nullptr);
  if (!data) return refuse(data.error());
  switch (line.command) {
    case Command::estimate: return estimate_command(*data, line.options);
    case Command::explain: return explain_command(*data, line.options);
    case Command::list: return list_command(*data, line.options);
    case Command::show: return show_command(*data, line.options);
    case Command::validate: return validate_command(*data, line.options);
  }
  return exit_internal;
}

}  // namespace
}  // namespace roofcast

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of `write`, not the end of the process
  try {
    return roofcast::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: internal: %s\n", error.what());
    return roofcast::exit_internal;
  }
}
