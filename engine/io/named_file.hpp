#pragma once
// Files that a user names: a path, or a bare name for a file of the current folder.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast {

/// The stems of the TOML files in a folder, sorted.
std::vector<std::string> toml_stems(const std::filesystem::path& folder);

/// "bert" for "bert" and "bert.toml".
std::string without_toml(std::string_view name);

/// The name says itself that it is a path: it has a folder in it.
bool is_path(std::string_view name);

/// `name` if it is an existing file and written like one (a path, or with `.toml`), else `name` with `.toml`
/// added if that exists, else nothing.
std::optional<std::filesystem::path> existing_file(const std::string& name);

}  // namespace roofcast
