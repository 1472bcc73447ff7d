// calibrate: makes the profile of one card from timings on that card.
//
//     tools/run calibrate fit --samples samples.csv --hw a100-sxm4-80gb -o
//     hardware_db/calibrations/a100-sxm4-80gb.toml

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "tools/calibrate_commands.hpp"
#include "tools/locate_data.hpp"
#include "tools/output.hpp"
#include "tools/version.hpp"

namespace roofcast {
namespace {

// Another command is another line.
constexpr CalibrateCommand commands[] = {
    {"fit", "A profile from tables of measured operators", declare_calibrate_fit},
};

int run(int argc, char** argv) {
  CLI::App app{"Makes the profile of one card, which `simulate` then uses for it.", "calibrate"};
  app.set_version_flag("--version", fmt::format("calibrate {}", tool_version));
  app.require_subcommand(1);
  CalibrateRun chosen;
  for (const CalibrateCommand& command : commands) {
    CLI::App* declared = app.add_subcommand(command.name, command.summary);
    declared->callback([&chosen, run = command.declare(*declared)] { chosen = run; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  const auto data = locate_data(argc > 0 ? argv[0] : nullptr);
  if (!data) return refuse(data.error());
  return chosen(*data);
}

}  // namespace
}  // namespace roofcast

int main(int argc, char** argv) {
  try {
    return roofcast::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: internal: %s\n", error.what());
    return roofcast::exit_internal;
  }
}
