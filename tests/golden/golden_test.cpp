// Whole outputs of `simulate` against files. tools/update_golden.sh rewrites them; the difference is part of
// a review. What they show is also checked elsewhere by derivations of its own: counts in tests/corpus
// against executed models, the time of a kernel in tests/engine/kernel_time, memory in tests/engine/memory
// and tests/laws.

#include <doctest/doctest.h>
#include <unistd.h>

#include <sstream>

#include "tests/golden/run_simulate.hpp"

namespace roofcast {
namespace {

const std::string folder = std::string(ROOFCAST_SOURCE_DIR) + "/tests/golden/";

TEST_CASE("golden: each report is what its file says") {
  std::istringstream cases(file_text(folder + "cases.txt"));
  int compared = 0;
  for (std::string line; std::getline(cases, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::string name = line.substr(0, line.find(' '));
    const std::string arguments = line.substr(line.find(' ') + 1);
    CAPTURE(arguments);

    const ProcessResult result = run_simulate(arguments);

    CHECK(result.exit_code == 0);
    CHECK(result.out == file_text(folder + name));
    ++compared;
  }
  CHECK(compared > 5);
}

TEST_CASE("README: the example prints what it shows") {
  const std::string readme = file_text(std::string(ROOFCAST_SOURCE_DIR) + "/README.md");
  const std::string prompt = "$ tools/run simulate ";
  int compared = 0;
  for (std::size_t at = readme.find(prompt); at != std::string::npos; at = readme.find(prompt, at + 1)) {
    const std::size_t end_of_line = readme.find('\n', at);
    const std::string arguments = readme.substr(at + prompt.size(), end_of_line - at - prompt.size());
    const std::size_t end = readme.find("```", end_of_line);
    REQUIRE(end != std::string::npos);
    const std::string shown = readme.substr(end_of_line + 1, end - end_of_line - 1);
    if (shown.empty()) continue;  // a command without its output
    CAPTURE(arguments);

    const ProcessResult result = run_simulate(arguments);

    CHECK(result.exit_code == 0);
    CHECK(result.out == shown);
    ++compared;
  }
  CHECK(compared >= 1);
}

}  // namespace
}  // namespace roofcast
