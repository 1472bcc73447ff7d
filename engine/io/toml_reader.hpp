#pragma once
// TOML tables read key by key: each mistake is noted with its place, and keys that nobody asked for are
// mistakes too.

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/expression.hpp"

namespace roofcast {

/// Parses `text`. Syntax errors carry file, line and column; an empty or binary text is an error too.
Result<toml::table> parse_toml(std::string_view text, const std::string& file);

/// Reads one table. `problems` collects mistakes and outlives the reader. A missing required key, a value of
/// the wrong type and, at `finish`, an unknown key are mistakes.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string file, Diagnostics& problems, std::string path = {});

  bool has(std::string_view key) const { return table_->contains(key); }
  bool has_table(std::string_view key) const { return table_->contains(key) && table_->get(key)->is_table(); }
  bool has_text(std::string_view key) const { return table_->contains(key) && table_->get(key)->is_string(); }
  Location where() const;                      ///< of the table
  Location where(std::string_view key) const;  ///< of a value, or of the table if the key is absent

  std::optional<std::string> text(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key);
  std::optional<double> number(std::string_view key);  ///< an integer will do
  std::optional<bool> flag(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  /// A list of strings; a single one counts as a list of one.
  std::vector<std::string> text_or_texts(std::string_view key);
  /// An integer, or a string that holds an expression.
  std::optional<Expr> size(std::string_view key);
  /// A list of those; a single one counts as a list of one.
  std::optional<std::vector<Expr>> sizes(std::string_view key);

  std::string required_text(std::string_view key);
  std::int64_t required_integer(std::string_view key);
  double required_number(std::string_view key);

  /// The sub-table; an empty one (and a mistake if required) when absent.
  TableReader table(std::string_view key, bool required = false);
  /// The tables of an array of tables; empty when absent.
  std::vector<TableReader> tables(std::string_view key);

  const toml::table& raw() const { return *table_; }
  /// Marks a key as known without reading it.
  void expect(std::string_view key) { known_.emplace_back(key); }
  void complain(std::string message, const Location& where, std::string hint = {});

  /// Complains about every key that was not asked for; `also` lists names that could have been used.
  void finish(const std::vector<std::string>& also = {});

 private:
  const toml::node* find(std::string_view key);
  void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted);
  std::optional<Expr> expression_of(const toml::node& node, std::string_view key);
  std::string full(std::string_view key) const;

  const toml::table* table_;
  std::string file_;
  Diagnostics* problems_;
  std::string path_;
  std::vector<std::string> known_{};
};

Location location_of(const toml::node& node, const std::string& file);

}  // namespace roofcast
