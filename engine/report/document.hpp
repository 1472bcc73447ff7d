#pragma once
// A report before it has a format: paragraphs, tables and lists. The writers in this folder turn it into
// text.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace roofcast {

/// A value of a table. Documents for people hold texts that are ready to print; those for programs hold raw
/// values.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, bool>;

enum class Alignment : std::uint8_t { left, right };

struct Column {
  std::string title{};  ///< for people; may have two lines
  std::string key{};    ///< for programs: snake_case with the unit
  Alignment alignment = Alignment::left;
  bool optional = false;  ///< may be left out where there is not enough room
};

/// How a line stands out in a terminal with colours. Its text says the same.
enum class Emphasis : std::uint8_t { none, strong, weak };

struct Row {
  std::vector<Cell> cells{};
  Emphasis emphasis = Emphasis::none;
};

struct Table {
  std::string title{};
  std::vector<Column> columns{};
  std::vector<Row> rows{};
  std::vector<std::string> footer{};
};

struct Paragraph {
  std::string text{};
  Emphasis emphasis = Emphasis::none;
};

struct List {
  std::string title{};
  std::vector<std::string> items{};
};

using Block = std::variant<Paragraph, Table, List>;

struct Document {
  std::vector<Block> blocks{};
};

}  // namespace roofcast
