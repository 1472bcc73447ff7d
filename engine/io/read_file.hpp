#pragma once
// Files as text, with the mistakes that people make with paths.

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/diagnostics.hpp"

namespace roofcast {

/// The bytes of a regular file. A missing file, a directory, something that is no regular file and a file of
/// more than `most_bytes` are errors that name the file as the user spelled it.
Result<std::string> read_text(const std::filesystem::path& path, std::uintmax_t most_bytes = 16U << 20U);

/// Whether it is a regular file that can be seen. Never an error.
bool is_there(const std::filesystem::path& path);

/// The first bytes of a file whose rest does not matter.
struct FileStart {
  std::string bytes{};            ///< all of the file, or as many as were asked for
  std::uintmax_t file_bytes = 0;  ///< of the whole file
};

/// At most `most_bytes` from the start of a regular file of any size. Errors as for `read_text`.
Result<FileStart> read_start(const std::filesystem::path& path, std::uintmax_t most_bytes);

}  // namespace roofcast
