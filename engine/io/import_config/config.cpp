#include "engine/io/import_config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace roofcast {
namespace {

using nlohmann::json;

// Real files nest four deep. What nests without end is no configuration, and costs memory.
bool nests_too_deeply(std::string_view text) {
  constexpr int deepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quoted) {
      if (letter == '\\') ++i;
      if (letter == '"') quoted = false;
      continue;
    }
    if (letter == '"') quoted = true;
    if ((letter == '{' || letter == '[') && ++depth > deepest) return true;
    if (letter == '}' || letter == ']') --depth;
  }
  return false;
}

// Python writes numbers that JSON does not have. They become null, so that they are as good as missing.
std::string without_python_numbers(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  bool quoted = false;
  while (!text.empty()) {
    std::size_t length = quoted && text.front() == '\\' ? 2 : 1;
    std::string_view instead = text.substr(0, length);
    if (text.front() == '"') quoted = !quoted;
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
      if (quoted || !text.starts_with(word)) continue;
      instead = "null";
      length = word.size();
    }
    plain += instead;
    text.remove_prefix(std::min(length, text.size()));
  }
  return plain;
}

Location place(std::string_view text, std::size_t byte, const std::string& file) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column = before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1);
  return {file, static_cast<int>(lines) + 1, static_cast<int>(column) + 1};
}

// The library's message without its number and its own idea of the place.
std::string reason(std::string_view what) {
  for (const std::string_view start : {"parsing ", "column "}) {
    const std::size_t found = what.find(start);
    if (found == std::string_view::npos) continue;
    const std::size_t colon = what.find(start == "column " ? ": " : " - ", found);
    if (colon == std::string_view::npos) continue;
    what.remove_prefix(colon + (start == "column " ? 2 : 3));
    break;
  }
  constexpr std::size_t most = 200;
  return std::string(what.substr(0, most));
}

// What stands before and after the first `mark`.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char mark) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == mark) return {text.substr(0, i), text.substr(i + 1)};
  }
  return {text, {}};
}

// The number in "3]"; nothing for what is none.
std::optional<std::int64_t> index_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return status == std::errc{} && rest == "]" ? std::optional{value} : std::nullopt;
}

const json* element(const json& value, std::int64_t index) {
  if (!value.is_array()) return &value;
  const auto size = static_cast<std::int64_t>(value.size());
  if (index < 0) index += size;
  return index >= 0 && index < size ? &value[static_cast<std::size_t>(index)] : nullptr;
}

const json* step(const json& value, std::string_view part) {
  const auto [key, bracketed] = cut(part, '[');
  if (!value.is_object()) return nullptr;
  const auto found = value.find(key);
  if (found == value.end()) return nullptr;
  if (bracketed.empty()) return &*found;
  const auto index = index_in(bracketed);
  return index ? element(*found, *index) : nullptr;
}

}  // namespace

Result<Config> Config::parse(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail("the file is empty", Location{file, 0, 0});
  }
  if (nests_too_deeply(text)) {
    return fail("not a configuration: its lists and objects nest too deeply", Location{file, 0, 0});
  }
  Config config;
  config.file_ = file;
  const std::string plain = without_python_numbers(text);
  try {
    config.whole_ = std::make_shared<const json>(json::parse(plain));
  } catch (const json::parse_error& error) {
    return fail(fmt::format("not valid JSON: {}", reason(error.what())), place(plain, error.byte, file));
  } catch (const json::exception& error) {  // such as a number beyond a double
    return fail(fmt::format("not valid JSON: {}", reason(error.what())), Location{file, 0, 0});
  }
  config.root_ = config.whole_.get();
  if (!config.root_->is_object()) {
    return fail(fmt::format("a configuration is an object, not {}", type_name(*config.root_)),
                Location{file, 1, 1});
  }
  return config;
}

const json* Config::find(std::string_view path) const {
  const json* value = root_;
  while (value != nullptr && !path.empty()) {
    const auto [part, rest] = cut(path, '.');
    value = step(*value, part);
    path = rest;
  }
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string> Config::text(std::string_view path) const {
  const json* value = find(path);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::optional<Config> Config::inner(const std::string& key) const {
  const json* value = find(key);
  if (value == nullptr || !value->is_object()) return std::nullopt;
  Config part = *this;
  part.root_ = value;
  part.part_ = full(key);
  return part;
}

std::string Config::full(std::string_view path) const {
  return part_.empty() ? std::string(path) : fmt::format("{}.{}", part_, path);
}

std::vector<std::string> Config::keys() const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : root_->items()) names.push_back(name);
  return names;
}

std::string_view type_name(const json& value) {
  switch (value.type()) {
    case json::value_t::object: return "an object";
    case json::value_t::array: return "a list";
    case json::value_t::string: return "a string";
    case json::value_t::boolean: return "true or false";
    case json::value_t::number_integer:
    case json::value_t::number_unsigned: return "an integer";
    case json::value_t::number_float: return "a number";
    default: return "null";
  }
}

}  // namespace roofcast
