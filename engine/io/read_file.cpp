#include "engine/io/read_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace roofcast {

Result<FileStart> read_start(const std::filesystem::path& path, std::uintmax_t most_bytes) {
  const Location where{.file = path.string()};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return fail("no such file", where);
  if (error) return fail(fmt::format("cannot look at it: {}", error.message()), where);
  if (std::filesystem::is_directory(status)) return fail("is a directory, not a file", where);
  if (!std::filesystem::is_regular_file(status)) return fail("is not a regular file", where);
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return fail(fmt::format("cannot read its size: {}", error.message()), where);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail("cannot be opened for reading", where, "check its permissions");
  std::string bytes(static_cast<std::size_t>(std::min(size, most_bytes)), '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (stream.bad()) return fail("cannot be read", where);
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return FileStart{std::move(bytes), size};
}

Result<std::string> read_text(const std::filesystem::path& path, std::uintmax_t most_bytes) {
  auto start = read_start(path, most_bytes);
  if (!start) return tl::make_unexpected(start.error());
  if (start->file_bytes > most_bytes) {
    return fail(fmt::format("has {} bytes; at most {} are read", start->file_bytes, most_bytes),
                Location{.file = path.string()});
  }
  return std::move(start->bytes);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

}  // namespace roofcast
