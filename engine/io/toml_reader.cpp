#include "engine/io/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace roofcast {
namespace {

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "a list";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a number";
    case toml::node_type::boolean: return "true or false";
    default: return "a date or time";
  }
}

// The parser recurses over the parts of a dotted key. Returns the line of one that is too long for that, or
// 0. Dots in a row of words count, wherever they stand: a sentence has fewer.
int line_of_deep_key(std::string_view text) {
  constexpr int most_parts = 300;
  constexpr std::string_view ends = "=,[]{}()#\n";
  int line = 1;
  int parts = 0;
  for (const char letter : text) {
    if (letter == '.' && ++parts > most_parts) return line;
    if (ends.find(letter) != std::string_view::npos) parts = 0;
    if (letter == '\n') ++line;
  }
  return 0;
}

const toml::table& empty_table() {
  static const toml::table empty;
  return empty;
}

}  // namespace

Location location_of(const toml::node& node, const std::string& file) {
  const auto& begin = node.source().begin;
  return {file, static_cast<int>(begin.line), static_cast<int>(begin.column)};
}

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail("the file is empty", Location{file, 0, 0});
  }
  if (text.find('\0') != std::string_view::npos) {
    return fail("this is a binary file, not TOML", Location{file, 0, 0});
  }
  if (const int line = line_of_deep_key(text); line > 0) {
    return fail("not valid TOML: a key of hundreds of parts", Location{file, line, 0});
  }
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    std::string message(error.description());
    return fail(fmt::format("not valid TOML: {}", message),
                Location{file, static_cast<int>(begin.line), static_cast<int>(begin.column)});
  }
}

TableReader::TableReader(const toml::table& table, std::string file, Diagnostics& problems, std::string path)
    : table_(&table), file_(std::move(file)), problems_(&problems), path_(std::move(path)) {}

std::string TableReader::full(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

Location TableReader::where() const {
  return table_ == &empty_table() ? Location{file_, 0, 0} : location_of(*table_, file_);
}

Location TableReader::where(std::string_view key) const {
  const toml::node* node = table_->get(key);
  return node != nullptr ? location_of(*node, file_) : where();
}

const toml::node* TableReader::find(std::string_view key) {
  known_.emplace_back(key);
  return table_->get(key);
}

void TableReader::complain(std::string message, const Location& where, std::string hint) {
  problems_->push_back({where, std::move(message), std::move(hint)});
}

void TableReader::wrong_type(std::string_view key, const toml::node& node, std::string_view wanted) {
  complain(fmt::format("'{}' must be {}, not {}", full(key), wanted, type_name(node)),
           location_of(node, file_));
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_string()) return value->get();
  wrong_type(key, *node, "a string");
  return std::nullopt;
}

std::optional<std::int64_t> TableReader::integer(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_integer()) return value->get();
  wrong_type(key, *node, "an integer");
  return std::nullopt;
}

std::optional<double> TableReader::number(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_integer()) return static_cast<double>(value->get());
  if (const auto* value = node->as_floating_point()) return value->get();
  wrong_type(key, *node, "a number");
  return std::nullopt;
}

std::optional<bool> TableReader::flag(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_boolean()) return value->get();
  wrong_type(key, *node, "true or false");
  return std::nullopt;
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  const toml::node* node = find(key);
  std::vector<std::string> values;
  if (node == nullptr) return values;
  const auto* list = node->as_array();
  if (list == nullptr) {
    wrong_type(key, *node, "a list of strings");
    return values;
  }
  for (const toml::node& item : *list) {
    if (const auto* value = item.as_string()) {
      values.push_back(value->get());
    } else {
      wrong_type(key, item, "a list of strings");
    }
  }
  return values;
}

std::vector<std::string> TableReader::text_or_texts(std::string_view key) {
  if (!has_text(key)) return texts(key);
  return {text(key).value_or("")};
}

std::optional<Expr> TableReader::expression_of(const toml::node& node, std::string_view key) {
  if (const auto* value = node.as_integer()) return Expr{value->get()};
  if (const auto* value = node.as_string()) {
    auto parsed = parse_expression(value->get(), location_of(node, file_));
    if (parsed) return *parsed;
    problems_->insert(problems_->end(), parsed.error().begin(), parsed.error().end());
    return std::nullopt;
  }
  wrong_type(key, node, "an integer or an expression in quotes");
  return std::nullopt;
}

std::optional<Expr> TableReader::size(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  return expression_of(*node, key);
}

std::optional<std::vector<Expr>> TableReader::sizes(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  std::vector<Expr> values;
  if (const auto* list = node->as_array()) {
    for (const toml::node& item : *list) {
      if (auto value = expression_of(item, key)) values.push_back(*std::move(value));
    }
    return values;
  }
  if (auto value = expression_of(*node, key)) values.push_back(*std::move(value));
  return values;
}

std::string TableReader::required_text(std::string_view key) {
  if (!has(key)) complain(fmt::format("'{}' is missing", full(key)), where());
  return text(key).value_or("");
}

std::int64_t TableReader::required_integer(std::string_view key) {
  if (!has(key)) complain(fmt::format("'{}' is missing", full(key)), where());
  return integer(key).value_or(0);
}

double TableReader::required_number(std::string_view key) {
  if (!has(key)) complain(fmt::format("'{}' is missing", full(key)), where());
  return number(key).value_or(0.0);
}

TableReader TableReader::table(std::string_view key, bool required) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    if (required) complain(fmt::format("the table [{}] is missing", full(key)), where());
    return {empty_table(), file_, *problems_, full(key)};
  }
  if (const auto* value = node->as_table()) return {*value, file_, *problems_, full(key)};
  wrong_type(key, *node, "a table");
  return {empty_table(), file_, *problems_, full(key)};
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
  std::vector<TableReader> readers;
  const toml::node* node = find(key);
  if (node == nullptr) return readers;
  const auto* list = node->as_array();
  if (list == nullptr) {
    wrong_type(key, *node, fmt::format("a list of tables, written [[{}]]", full(key)));
    return readers;
  }
  for (const toml::node& item : *list) {
    if (const auto* value = item.as_table()) {
      readers.emplace_back(*value, file_, *problems_, full(key));
    } else {
      wrong_type(key, item, fmt::format("a list of tables, written [[{}]]", full(key)));
    }
  }
  return readers;
}

void TableReader::finish(const std::vector<std::string>& also) {
  std::vector<std::string> candidates = known_;
  candidates.insert(candidates.end(), also.begin(), also.end());
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    if (std::ranges::find(known_, name) != known_.end()) continue;
    const auto& begin = key.source().begin;
    const Location place = begin.line > 0
                               ? Location{file_, static_cast<int>(begin.line), static_cast<int>(begin.column)}
                               : location_of(node, file_);
    std::string hint = did_you_mean(name, candidates);
    if (hint.empty() && !candidates.empty()) {
      std::vector<std::string> sorted = candidates;
      std::ranges::sort(sorted);
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      hint = fmt::format("known here: {}", fmt::join(sorted, ", "));
    }
    complain(fmt::format("unknown key '{}'", full(name)), place, std::move(hint));
  }
}

}  // namespace roofcast
