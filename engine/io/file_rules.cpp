#include "engine/io/file_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>

namespace roofcast {
namespace {

bool is_date(std::string_view text) {
  constexpr std::string_view day = "dddd-dd-dd";
  if (text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (day[i] == 'd' ? !digit : text[i] != '-') return false;
  }
  const auto two = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  if (two(5) < 1 || two(5) > 12) return false;
  return text.size() == 7 || (two(8) >= 1 && two(8) <= 31);
}

void complain_if_missing(TableReader& table, std::string_view key, Presence presence) {
  if (presence == Presence::required && !table.has(key)) table.required_text(key);
}

}  // namespace

void check_schema(TableReader& file, std::int64_t known) {
  if (!file.has("schema")) {
    file.expect("schema");
    file.complain("'schema' is missing", file.where(), fmt::format("write `schema = {}` at the top", known));
    return;
  }
  const auto schema = file.integer("schema");
  if (schema && *schema != known) {
    file.complain(fmt::format("schema {} is not known", *schema), file.where("schema"),
                  fmt::format("this version reads schema {}", known));
  }
}

std::string filled_text(TableReader& table, std::string_view key) {
  std::string value = table.required_text(key);
  if (value.empty() && table.has(key) && table.raw().get(key)->is_string()) {
    table.complain(fmt::format("'{}' is empty", key), table.where(key));
  }
  return value;
}

std::optional<double> positive_number(TableReader& table, std::string_view key, Presence presence) {
  complain_if_missing(table, key, presence);
  const auto value = table.number(key);
  if (!value) return std::nullopt;
  if (std::isfinite(*value) && *value > 0) return value;
  table.complain(fmt::format("'{}' must be a number above 0, not {}", key, *value), table.where(key));
  return std::nullopt;
}

std::optional<int> positive_integer(TableReader& table, std::string_view key, Presence presence) {
  constexpr std::int64_t most = 1'000'000'000;
  complain_if_missing(table, key, presence);
  const auto value = table.integer(key);
  if (!value) return std::nullopt;
  if (*value >= 1 && *value <= most) return static_cast<int>(*value);
  table.complain(fmt::format("'{}' must be from 1 to {}, not {}", key, most, *value), table.where(key));
  return std::nullopt;
}

std::map<std::string, std::string> read_sources(TableReader& file, const std::vector<std::string>& needed,
                                                const std::vector<std::string>& also) {
  std::map<std::string, std::string> sources;
  const bool present = file.has("sources");
  TableReader table = file.table("sources", true);
  if (!present) return sources;
  for (const std::string& key : needed) {
    if (!table.has(key)) {
      table.expect(key);
      table.complain(
          fmt::format("'sources.{}' is missing: every table needs a source", key), table.where(),
          "name the document, its date and the page; for a guess write \"estimated\" and from what");
      continue;
    }
    if (std::string text = filled_text(table, key); !text.empty()) sources.emplace(key, std::move(text));
  }
  for (const std::string& key : also) {
    if (auto text = table.text(key)) sources.emplace(key, *std::move(text));
  }
  table.finish();
  return sources;
}

std::string read_date(TableReader& table, std::string_view key) {
  const auto text = table.text(key);
  if (!text) return {};
  if (is_date(*text)) return *text;
  table.complain(
      fmt::format("'{}' must be a date such as \"2026-05\" or \"2026-05-31\", not '{}'", key, *text),
      table.where(key), "leave it out if the date is unknown");
  return {};
}

Diagnostics in_file_order(Diagnostics problems) {
  std::ranges::stable_sort(problems, {}, [](const Diagnostic& problem) {
    return std::tuple{problem.where.line, problem.where.column};
  });
  return problems;
}

}  // namespace roofcast
