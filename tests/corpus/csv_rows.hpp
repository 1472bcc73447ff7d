#pragma once
// A CSV file with a header row as a list of records, for reference data in tests.

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace roofcast {

using CsvRecord = std::map<std::string, std::string>;

/// RFC 4180: quoted fields may hold commas, quotes and line breaks. Empty when the file cannot be read.
inline std::vector<CsvRecord> read_csv(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line;
  std::string field;
  bool quoted = false;
  for (char letter = 0; stream.get(letter);) {
    if (quoted) {
      if (letter != '"') {
        field += letter;
      } else if (stream.peek() == '"') {
        field += static_cast<char>(stream.get());
      } else {
        quoted = false;
      }
    } else if (letter == '"') {
      quoted = true;
    } else if (letter == ',' || letter == '\n') {
      line.push_back(std::move(field));
      field.clear();
      if (letter == '\n') {
        lines.push_back(std::move(line));
        line.clear();
      }
    } else if (letter != '\r') {
      field += letter;
    }
  }
  if (!field.empty() || !line.empty()) {
    line.push_back(field);
    lines.push_back(line);
  }
  std::vector<CsvRecord> records;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CsvRecord record;
    for (std::size_t c = 0; c < lines[0].size() && c < lines[i].size(); ++c)
      record[lines[0][c]] = lines[i][c];
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace roofcast
