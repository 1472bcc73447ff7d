#pragma once
// A CSV file with a header row as a list of records, for reference data in tests.

#include <map>
#include <string>
#include <vector>

#include "engine/io/csv_reader.hpp"

namespace roofcast {

using CsvRecord = std::map<std::string, std::string>;

/// Empty when the file cannot be read.
inline std::vector<CsvRecord> csv_records(const std::string& path) {
  std::vector<CsvRecord> records;
  const auto table = read_csv(path);
  if (!table) return records;
  for (const CsvRow& row : table->rows) {
    CsvRecord& record = records.emplace_back();
    for (const std::string& column : table->columns) record[column] = table->field(row, column);
  }
  return records;
}

}  // namespace roofcast
