#include "tools/glob.hpp"

#include <fnmatch.h>

namespace roofcast {

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

std::vector<std::string> matches(std::string_view pattern, const std::vector<std::string>& names) {
  const std::string terminated(pattern);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (fnmatch(terminated.c_str(), name.c_str(), 0) == 0) found.push_back(name);
  }
  return found;
}

}  // namespace roofcast
