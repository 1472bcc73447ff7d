#pragma once
// Tables of measurements -> rows. What the columns mean is in tests/validation/README.md.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/io/csv_reader.hpp"
#include "engine/validate/measured_row.hpp"

namespace roofcast {

/// What a table holds, by its columns.
enum class TableKind : std::uint8_t { products, streams, convolutions, attention, networks, other };

struct MeasuredTable {
  std::string file{};  ///< name without its folder
  TableKind kind = TableKind::other;
  std::vector<MeasuredRow> rows{};                 ///< those that can be compared
  std::map<std::string, std::int64_t> left_out{};  ///< rows that cannot, by reason
  std::string note{};                              ///< why the file as a whole is left out
};

/// A folder with tables. Its devices.csv says which card a spelling means.
struct MeasuredFolder {
  std::vector<MeasuredTable> tables{};           ///< by file name
  std::map<std::string, std::string> devices{};  ///< spelling -> slug
};

/// Rows that are marked unusable are counted and not read. All mistakes of the others are reported, each with
/// line and column.
Result<MeasuredTable> read_measured_table(const CsvTable& table);

/// All CSV files of a folder.
Result<MeasuredFolder> read_measured_folder(const std::filesystem::path& folder);

}  // namespace roofcast
