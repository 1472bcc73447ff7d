// calibrate: measures the kernels of a device, and makes the profile of a card from what was measured on it.
//
//     tools/run calibrate --backend cpu -o local.toml
//     tools/run calibrate measure --backend cpu -o samples
//     tools/run calibrate fit --samples samples --hw a100-sxm4-80gb -o profile.toml

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tools/calibrate_commands.hpp"
#include "tools/locate_data.hpp"
#include "tools/output.hpp"
#include "tools/version.hpp"

namespace roofcast {
namespace {

// What options without a command before them mean.
constexpr const char* default_command = "card";

// Another command is another line.
constexpr CalibrateCommand commands[] = {
    {default_command, "A processor as a card file with its profile: measure and fit in one (default)",
     declare_calibrate_card},
    {"measure", "Tables of measured operators of a device", declare_calibrate_measure},
    {"fit", "A profile from tables of measured operators", declare_calibrate_fit},
};

constexpr std::array<std::string_view, 4> about_itself = {"-h", "--help", "--help-all", "--version"};

// CLI11's own messages name neither a word that is wrong nor a way out.
int refuse_other(const CLI::ParseError& error, const std::string& first) {
  std::vector<std::string> names;
  for (const CalibrateCommand& command : commands) names.emplace_back(command.name);
  const std::string help = "`calibrate --help` lists the commands";
  if (std::ranges::find(names, first) != names.end())
    return refuse({{{}, error.what(), fmt::format("`calibrate {} --help` says how it is used", first)}});
  if (first.empty()) return refuse({{{}, "a command is missing", help}});
  return refuse({{{},
                  fmt::format("unknown {} '{}'", first.starts_with('-') ? "option" : "command", first),
                  did_you_mean(first, names, help)}});
}

int run(int argc, char** argv) {
  CLI::App app{"Measures a device, and makes the profile of a card, which `simulate` then uses for it.",
               "calibrate"};
  app.set_version_flag("--version", fmt::format("calibrate {}", tool_version));
  app.require_subcommand(1);
  CalibrateRun chosen;
  for (const CalibrateCommand& command : commands) {
    CLI::App* declared = app.add_subcommand(command.name, command.summary);
    declared->callback([&chosen, run = command.declare(*declared)] { chosen = run; });
  }
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front().starts_with('-') &&
      std::ranges::find(about_itself, words.front()) == about_itself.end())
    words.insert(words.begin(), default_command);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes the first from the back
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help, version
    return refuse_other(error, words.empty() ? "" : words.front());
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
