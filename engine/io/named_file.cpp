#include "engine/io/named_file.hpp"

#include <algorithm>
#include <system_error>

namespace roofcast {
namespace {

bool exists_as_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
}

}  // namespace

std::vector<std::string> toml_stems(const std::filesystem::path& folder) {
  std::vector<std::string> stems;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".toml") stems.push_back(entry->path().stem().string());
  }
  std::ranges::sort(stems);
  return stems;
}

std::string without_toml(std::string_view name) {
  if (name.ends_with(".toml")) name.remove_suffix(5);
  return std::string(name);
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos;
}

std::optional<std::filesystem::path> existing_file(const std::string& name) {
  if (name.empty() || name.find('\0') != std::string::npos) return std::nullopt;
  const bool written_as_file = is_path(name) || name.ends_with(".toml");
  if (written_as_file && exists_as_file(name)) return name;
  if (!name.ends_with(".toml") && exists_as_file(name + ".toml")) return name + ".toml";
  return std::nullopt;
}

}  // namespace roofcast
