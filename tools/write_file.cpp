#include "tools/write_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace roofcast {
namespace {

std::string reason(int code) {
  return std::generic_category().message(code);
}

// Writes everything or returns the reason.
std::string write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno == EPIPE ? "broken pipe" : reason(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Writes to the open descriptor and closes it; some file systems only report a full disk then.
std::string write_and_close(int descriptor, std::string_view text, bool durable) {
  std::string problem = write_all(descriptor, text);
  if (problem.empty() && durable && ::fsync(descriptor) != 0 && errno != EINVAL) problem = reason(errno);
  if (::close(descriptor) != 0 && problem.empty()) problem = reason(errno);
  return problem;
}

}  // namespace

std::string write_standard_output(std::string_view text) {
  return write_all(STDOUT_FILENO, text);
}

std::string write_file(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (exists && fs::is_directory(path, error)) return "is a directory";
  if (exists && !fs::is_regular_file(path, error)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor < 0 ? reason(errno) : write_and_close(descriptor, text, false);
  }
  // Through a link, the file that it points to is replaced, not the link.
  fs::path target = exists ? fs::canonical(path, error) : fs::path(path);
  if (error) target = path;
  if (exists && ::access(target.c_str(), W_OK) != 0) return reason(errno);
  const fs::path temporary = target.string() + fmt::format(".{}.partial", ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return reason(errno);
  std::string problem = write_and_close(descriptor, text, true);
  if (problem.empty() && exists) fs::permissions(temporary, fs::status(target, error).permissions(), error);
  if (problem.empty()) {
    fs::rename(temporary, target, error);
    if (error) problem = error.message();
  }
  if (!problem.empty()) fs::remove(temporary, error);
  return problem;
}

}  // namespace roofcast
