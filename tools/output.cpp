#include "tools/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tools/write_file.hpp"

namespace roofcast {
namespace {

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

bool set_and_filled(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

Style style_for(const OutputOptions& options) {
  Style style;
  const bool terminal = options.file.empty() && isatty(STDOUT_FILENO) != 0;
  if (terminal) style.width = terminal_width();
  if (options.wide) style.width = 0;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  style.colour = terminal && !options.no_color && !set_and_filled("NO_COLOR") && !dumb;
  return style;
}

std::string format_names() {
  std::string names;
  for (const Format& format : formats()) names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  return names;
}

void tell(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

}  // namespace

Result<const Format*> chosen_format(const OutputOptions& options) {
  if (options.json && !options.format.empty() && options.format != "json") {
    return fail(fmt::format("--json and --format {} contradict each other", options.format));
  }
  if (options.json) return find_format("json");
  if (!options.format.empty()) {
    if (const Format* format = find_format(options.format)) return format;
    std::vector<std::string> names;
    for (const Format& format : formats()) names.emplace_back(format.name);
    const std::string guess = did_you_mean(options.format, names);
    return fail(fmt::format("--format: unknown format '{}'", options.format), {},
                fmt::format("{}{}known: {}", guess, guess.empty() ? "" : " ", format_names()));
  }
  if (options.file.empty()) return find_format("table");
  if (const Format* format = format_of_file(options.file)) return format;
  if (options.file.starts_with("/dev/")) return find_format("table");
  return fail(fmt::format("-o: no format has the ending of '{}'", options.file), {},
              fmt::format("end the name in .txt, .csv, .md or .json, or add --format ({})", format_names()));
}

int write_report(const Report& report, const OutputOptions& options) {
  const auto format = chosen_format(options);
  if (!format) return refuse(format.error());
  const bool json = (*format)->write == nullptr;
  const std::string text =
      json ? report.json()
           : (*format)->write((*format)->for_people ? report.people() : report.rows(), style_for(options));
  if (options.file.empty()) {
    const std::string problem = write_standard_output(text);
    if (problem.empty()) return exit_ok;
    // Whoever closed the pipe has seen enough, as with `simulate ... | head`.
    if (problem != "broken pipe") tell(fmt::format("error: cannot write the result: {}\n", problem));
    return exit_internal;
  }
  const std::string problem = write_file(options.file, text);
  if (problem.empty()) return exit_ok;
  tell(to_string(Diagnostics{{Location{.file = options.file}, "cannot be written: " + problem, {}}}));
  return exit_internal;
}

int refuse(const Diagnostics& problems) {
  tell(to_string(problems));
  return exit_usage;
}

void remark(const OutputOptions& options, const std::string& text) {
  if (!options.quiet) tell("note: " + text + "\n");
}

}  // namespace roofcast
