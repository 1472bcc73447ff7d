#pragma once
// Fields of a row as values; each mistake with its line and column.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/dtype.hpp"
#include "engine/io/csv_reader.hpp"

namespace roofcast {

/// Where a table's columns are, looked up once.
class ColumnIndex {
 public:
  explicit ColumnIndex(const CsvTable& table);

  const CsvTable& table() const { return *table_; }
  /// Empty for a column that the table does not have.
  std::string_view field(const CsvRow& row, std::string_view column) const;

 private:
  const CsvTable* table_;
  std::map<std::string_view, std::size_t> places_{};
};

/// Reads one row. A field that is missing or wrong adds to the problems and gives a harmless value. `..._or`:
/// an empty field, or a column that the table does not have, is what is given.
class FieldReader {
 public:
  FieldReader(const ColumnIndex& index, const CsvRow& row, Diagnostics& problems)
      : index_(index), row_(row), problems_(problems) {}

  Location where() const { return index_.table().where(row_); }
  bool is_given(std::string_view column) const { return !index_.field(row_, column).empty(); }

  std::string text(std::string_view column);
  std::string text_or(std::string_view column, std::string_view otherwise) const;
  double positive(std::string_view column);
  /// A whole number, also written as "128.0", of at least 1.
  std::int64_t size(std::string_view column) { return whole(column, 1); }
  std::int64_t size_or(std::string_view column, std::int64_t otherwise);
  /// The same from 0.
  std::int64_t count(std::string_view column) { return whole(column, 0); }
  std::int64_t count_or(std::string_view column, std::int64_t otherwise);
  DType dtype(std::string_view column);
  std::optional<DType> dtype_if_given(std::string_view column);

  template <class Value>
  using Choices = std::initializer_list<std::pair<std::string_view, Value>>;

  template <class Value>
  Value choice(std::string_view column, Choices<Value> choices) {
    const std::string_view given = index_.field(row_, column);
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) {
      if (name == given) return value;
      names.emplace_back(name);
    }
    complain_choice(column, names);
    return choices.begin()->second;
  }
  template <class Value>
  Value choice_or(std::string_view column, Value otherwise, Choices<Value> choices) {
    return is_given(column) ? choice(column, choices) : otherwise;
  }

  void complain(std::string_view column, std::string message, std::string hint = {});

 private:
  std::int64_t whole(std::string_view column, std::int64_t least);
  std::optional<double> number(std::string_view column);
  void complain_choice(std::string_view column, const std::vector<std::string>& names);

  const ColumnIndex& index_;
  const CsvRow& row_;
  Diagnostics& problems_;
};

}  // namespace roofcast
