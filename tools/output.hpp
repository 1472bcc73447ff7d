#pragma once
// Where results and messages go. Data goes to standard output or a file, everything else to standard error.

#include <functional>
#include <string>

#include "engine/base/diagnostics.hpp"
#include "engine/report/document.hpp"
#include "engine/report/format.hpp"
#include "tools/options.hpp"

namespace roofcast {

/// A result in all its forms; only the one that is asked for is made.
struct Report {
  std::function<Document()> people{};
  std::function<Document()> rows{};
  std::function<std::string()> json{};
};

/// The format that the options ask for; a format or ending that is unknown is an error.
Result<const Format*> chosen_format(const OutputOptions& options);

/// Writes the report and returns an exit code. A file is complete or not there at all: it is written under
/// another name and renamed. Mistakes are told on standard error.
int write_report(const Report& report, const OutputOptions& options);

/// Tells mistakes on standard error and returns `exit_usage`.
int refuse(const Diagnostics& problems);

/// A remark on standard error, unless the user wants none.
void remark(const OutputOptions& options, const std::string& text);

}  // namespace roofcast
