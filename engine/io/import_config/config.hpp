#pragma once
// A config.json as Hugging Face writes them: what stands at a path in it.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"

namespace roofcast {

/// A parsed configuration, or the part of one that describes a model inside another.
class Config {
 public:
  /// Refuses what is no JSON object, with line and column.
  static Result<Config> parse(std::string_view text, const std::string& file);

  const std::string& file() const { return file_; }
  /// The key that this part stands under, such as "text_config"; empty for the whole file.
  const std::string& part() const { return part_; }
  /// The value at "key", "key.inner" or "list[0]"; "[-1]" counts from the end, and a value that is no list
  /// stands for each of its elements. Null counts as missing.
  const nlohmann::json* find(std::string_view path) const;
  std::optional<std::string> text(std::string_view path) const;
  /// The object under `key` as a configuration of its own.
  std::optional<Config> inner(const std::string& key) const;
  /// `path` as a message names it: with the part that it is in.
  std::string full(std::string_view path) const;
  /// The names of its values.
  std::vector<std::string> keys() const;

 private:
  std::shared_ptr<const nlohmann::json> whole_{};
  const nlohmann::json* root_ = nullptr;  // into `whole_`
  std::string file_{};
  std::string part_{};
};

/// "an integer", "a string", as messages name the type of a value.
std::string_view type_name(const nlohmann::json& value);

}  // namespace roofcast
