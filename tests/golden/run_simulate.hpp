#pragma once
// Runs the built `simulate` as a user would.

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace roofcast {

struct ProcessResult {
  int exit_code = -1;
  std::string out{};
  std::string error{};
};

/// Runs `simulate ARGUMENTS` through a shell in `folder`. The environment's colours and data folder are left
/// out.
inline ProcessResult run_simulate(const std::string& arguments,
                                  const std::string& folder = ROOFCAST_SOURCE_DIR) {
  const std::string errors =
      (std::filesystem::temp_directory_path() / ("roofcast-stderr-" + std::to_string(::getpid()))).string();
  const std::string command = "cd '" + folder +
                              "' && env -u ROOFCAST_DATA -u COLUMNS TERM=dumb '" SIMULATE_BINARY "' " +
                              arguments + " 2>'" + errors + "' </dev/null";
  ProcessResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer{};
  for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.out.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream stream(errors);
  std::ostringstream text;
  text << stream.rdbuf();
  result.error = text.str();
  std::filesystem::remove(errors);
  return result;
}

inline std::string file_text(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace roofcast
