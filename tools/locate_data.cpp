#include "tools/locate_data.hpp"

#include <cstdlib>
#include <system_error>

namespace roofcast {
namespace {

std::filesystem::path executable(const char* argv0) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return path;
  return std::filesystem::absolute(argv0 != nullptr ? argv0 : "", error);
}

}  // namespace

Result<DataFolder> locate_data(const char* argv0) {
  const char* set = std::getenv("ROOFCAST_DATA");
  if (set != nullptr && *set != '\0') {
    auto data = DataFolder::open(set);
    if (!data)
      data.error().front().hint = "ROOFCAST_DATA names the folder that holds hardware_db/ and models/";
    return data;
  }
  const std::filesystem::path start = executable(argv0).parent_path();
  if (auto installed = DataFolder::open(start.parent_path() / "share" / "roofcast")) return installed;
  for (std::filesystem::path folder = start;; folder = folder.parent_path()) {
    if (auto found = DataFolder::open(folder)) return found;
    if (folder == folder.parent_path()) break;
  }
  return fail("no data folder found near the program", Location{.file = start.string()},
              "set ROOFCAST_DATA to the folder that holds hardware_db/ and models/");
}

}  // namespace roofcast
