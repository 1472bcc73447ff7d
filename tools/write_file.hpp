#pragma once
// Writing that notices when it fails.

#include <string>
#include <string_view>

namespace roofcast {

/// Empty when all of it was written, else what went wrong. A pipe that nobody reads any more gives "broken
/// pipe".
std::string write_standard_output(std::string_view text);

/// The same for a file. It is complete or unchanged: the text goes to a temporary file beside it that then
/// takes its name. What is no regular file, such as /dev/null, is written directly.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace roofcast
