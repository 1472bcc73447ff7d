// `calibrate measure` as a user runs it, as far as no device is needed.

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/golden/run_simulate.hpp"

namespace roofcast {
namespace {

ProcessResult measure(const std::string& arguments) {
  const std::string stem =
      (std::filesystem::temp_directory_path() / ("calibrate_measure_test_" + std::to_string(::getpid())))
          .string();
  const std::string command = std::string("'") + CALIBRATE_BINARY + "' measure " + arguments + " >" + stem +
                              ".out 2>" + stem + ".err </dev/null";
  const int status = std::system(command.c_str());
  ProcessResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(stem + ".out"),
                       file_text(stem + ".err")};
  std::filesystem::remove(stem + ".out");
  std::filesystem::remove(stem + ".err");
  return result;
}

TEST_CASE("calibrate measure: no CUDA device is exit code 6 and one line that says why") {
  const ProcessResult result = measure("--backend cuda --list");

  if (result.exit_code == 0) {
    MESSAGE("there is a device");
    CHECK(result.out.find("stream_copy fp32") != std::string::npos);
    return;
  }
  CHECK(result.exit_code == 6);
  CHECK(result.out.empty());
  const bool without_device = result.error.starts_with("error: no CUDA device: ");
  const bool without_backend = result.error.starts_with("error: backend 'cuda' is not in this build\n");
  CHECK((without_device || without_backend));
  CHECK(result.error.ends_with("\n  hint: `--backend cpu` measures the host's processor\n"));
}

TEST_CASE("calibrate measure: card files are made of processors only") {
  const ProcessResult result = measure("--backend cuda --device-file card.toml");

  CHECK(result.exit_code == 2);
  CHECK(result.error.starts_with("error: --device-file describes processors only\n"));
}

}  // namespace
}  // namespace roofcast
