#pragma once
// A CSV file with a header row: fields as text, each row with its line. What the fields mean is for the
// caller.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"

namespace roofcast {

struct CsvRow {
  int line = 0;                       ///< where the row starts, counted from 1; the header is line 1
  std::vector<std::string> fields{};  ///< as many as there are columns
  std::vector<int> columns{};         ///< where each field starts in its line, counted from 1
};

struct CsvTable {
  std::string file{};  ///< for messages
  std::vector<std::string> columns{};
  std::vector<CsvRow> rows{};

  bool has_column(std::string_view column) const;
  /// The row's field in that column; empty for a column that the table does not have.
  std::string_view field(const CsvRow& row, std::string_view column) const;
  Location where(const CsvRow& row) const { return {file, row.line, 0}; }
  /// The start of a field. Line breaks in quoted fields before it are not counted in the line.
  Location where(const CsvRow& row, std::string_view column) const;
};

/// RFC 4180: quoted fields may hold commas, doubled quotes and line breaks. Empty lines are skipped. Rows
/// with more or fewer fields than the header, a quote that does not end, text after a quoted field, and two
/// columns of one name are errors. `file` is for messages.
Result<CsvTable> parse_csv(std::string_view text, const std::string& file);

/// The same for a file.
Result<CsvTable> read_csv(const std::filesystem::path& path);

/// A mistake for each of `wanted` that the table lacks; none if it has them all.
Diagnostics missing_columns(const CsvTable& table, std::span<const std::string_view> wanted);

}  // namespace roofcast
