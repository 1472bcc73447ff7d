#include "engine/io/import_config/bind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace roofcast {
namespace {

using nlohmann::json;

/// A value of the configuration and the key it was found under.
struct Found {
  const json* value = nullptr;
  std::string key{};
};

class Rule {
 public:
  Rule(TableReader& table, const Config& config) : table_(table), config_(config) {
    keys_ = table_.text_or_texts("config");
    if (keys_.empty()) table_.complain("a rule needs 'config', the key to look for", table_.where());
  }

  /// The first of the keys that is there.
  std::optional<Found> find() const {
    for (const std::string& key : keys_) {
      if (const json* value = config_.find(key)) return Found{value, key};
    }
    return std::nullopt;
  }

  // Whether the key is there without a value, once nothing was found.
  bool is_null() const {
    const std::vector<std::string> there = config_.keys();
    return !keys_.empty() && std::ranges::find(there, keys_.front()) != there.end();
  }

  void missing() {
    if (keys_.empty()) return;
    std::string message =
        fmt::format("'{}' is {}", config_.full(keys_.front()), is_null() ? "null" : "missing");
    std::string hint = is_null() ? std::string{} : did_you_mean(keys_.front(), config_.keys());
    if (hint.empty() && keys_.size() > 1) hint = fmt::format("or one of {}", fmt::join(other_keys(), ", "));
    table_.complain(std::move(message), {config_.file(), 0, 0}, std::move(hint));
  }

  void wrong(const Found& found, std::string_view wanted) {
    table_.complain(
        fmt::format("'{}' must be {}, not {}", config_.full(found.key), wanted, type_name(*found.value)),
        {config_.file(), 0, 0});
  }

  void complain(const Found& found, std::string_view what, std::string hint = {}) {
    table_.complain(fmt::format("'{}' {}", config_.full(found.key), what), {config_.file(), 0, 0},
                    std::move(hint));
  }

 private:
  std::vector<std::string> other_keys() const { return {keys_.begin() + 1, keys_.end()}; }

  TableReader& table_;
  const Config& config_;
  std::vector<std::string> keys_{};
};

constexpr std::int64_t largest = std::int64_t{1} << 48;  // sizes beyond this are mistakes

// A whole number, perhaps written as 4.0. Fractions count in units of 1 / scale: 0.25 is 250 at a scale of
// 1000.
std::optional<std::int64_t> whole_number(const json& value, std::int64_t scale) {
  const auto limit = static_cast<double>(largest);
  if (value.is_number_float() || scale != 1) {
    const double number = value.get<double>() * static_cast<double>(scale);
    if (!(std::abs(number) <= limit)) return std::nullopt;
    if (scale == 1 && number != std::floor(number)) return std::nullopt;
    return std::llround(number);
  }
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(largest)) {
    return std::nullopt;
  }
  const auto number = value.get<std::int64_t>();
  return number >= -largest ? std::optional{number} : std::nullopt;
}

std::optional<Expr> number_of(Rule& rule, const Found& found, std::int64_t scale) {
  if (found.value->is_boolean()) return Expr{found.value->get<bool>() ? 1 : 0};
  if (!found.value->is_number()) {
    rule.wrong(found, "an integer");
    return std::nullopt;
  }
  const auto number = whole_number(*found.value, scale);
  if (!number) {
    rule.complain(found, fmt::format("must be an integer of at most {}", largest));
    return std::nullopt;
  }
  if (*number < 0) {
    rule.complain(found, fmt::format("is {}, but sizes are not negative", *number));
    return std::nullopt;
  }
  return Expr{*number};
}

// The entry of the table `words` for the word in the configuration; `other` for words that it does not list.
std::optional<Expr> listed_word(TableReader& table, Rule& rule, const Found& found) {
  TableReader words = table.table("words");
  const std::optional<Expr> other = table.size("other");
  if (!found.value->is_string()) {
    rule.wrong(found, "a string");
    return std::nullopt;
  }
  const auto word = found.value->get<std::string>();
  if (words.has(word)) return words.size(word);
  if (other) return other;
  std::vector<std::string> known;
  for (const auto& [key, unused] : words.raw()) known.emplace_back(key.str());
  rule.complain(found, fmt::format("is '{}', which this family does not know", word),
                did_you_mean(word, known, fmt::format("known: {}", fmt::join(known, ", "))));
  return std::nullopt;
}

std::optional<Expr> entries(Rule& rule, const Found& found, const std::optional<std::string>& word) {
  const bool is_map = found.value->is_object() && !word;  // such as id2label, with an entry per label
  if (!found.value->is_array() && !is_map) {
    rule.wrong(found, "a list");
    return std::nullopt;
  }
  if (!word) return Expr{static_cast<std::int64_t>(found.value->size())};
  return Expr{std::count_if(found.value->begin(), found.value->end(), [&](const json& entry) {
    return entry.is_string() && entry.get_ref<const std::string&>() == *word;
  })};
}

// The size itself, unless it is more than the family has a description of.
std::optional<Expr> within(std::optional<Expr> size, const std::optional<std::int64_t>& limit, Rule& rule,
                           const Found& found) {
  if (!size || !limit || !size->is_constant() || size->constant() <= *limit) return size;
  rule.complain(found,
                fmt::format("comes to {}, but this family knows at most {}", size->constant(), *limit));
  return std::nullopt;
}

}  // namespace

std::optional<Expr> bind_size(TableReader table, const Config& config) {
  Rule rule(table, config);
  const std::optional<Found> found = rule.find();
  const std::optional<Expr> fallback = table.size("default");
  const std::optional<Expr> nested_fallback = table.size("nested_default");
  const std::optional<Expr> for_null = table.size("null");
  const std::optional<std::string> counted = table.text("count");
  const bool length = table.flag("length").value_or(false);
  const bool present = table.flag("present").value_or(false);
  const std::int64_t scale = table.integer("scale").value_or(1);
  const std::optional<std::int64_t> at_most = table.integer("at_most");
  const std::optional<std::int64_t> limit = table.integer("limit");
  for (const char* key : {"words", "other"}) table.expect(key);
  table.finish();
  if (present) return Expr{found ? 1 : 0};
  if (!found) {
    if (for_null && rule.is_null()) return for_null;
    if (nested_fallback && !config.part().empty()) return nested_fallback;
    if (!fallback) rule.missing();
    return fallback;
  }
  if (counted || length) return within(entries(rule, *found, counted), limit, rule, *found);
  if (table.has("words")) return listed_word(table, rule, *found);
  const auto number = within(number_of(rule, *found, scale), limit, rule, *found);
  return number && at_most ? minimum(*number, Expr{*at_most}) : number;
}

std::optional<std::string> bind_word(TableReader table, const Config& config) {
  Rule rule(table, config);
  const std::optional<Found> found = rule.find();
  const std::optional<std::string> fallback = table.text("default");
  TableReader words = table.table("words");
  table.finish();
  if (!found) {
    if (!fallback) rule.missing();
    return fallback;
  }
  if (!found->value->is_string()) {
    rule.wrong(*found, "a string");
    return std::nullopt;
  }
  const auto word = found->value->get<std::string>();
  return words.has(word) ? words.text(word) : word;
}

}  // namespace roofcast
