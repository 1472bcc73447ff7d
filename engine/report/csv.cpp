#include "engine/report/csv.hpp"

#include "engine/base/threads.hpp"
#include "engine/report/cell_text.hpp"

namespace roofcast {
namespace {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

// In order, many rows in each text.
std::vector<std::string> lines_of(const std::vector<Row>& rows) {
  constexpr std::size_t rows_at_a_time = 1024;  // some milliseconds
  std::vector<std::string> texts(rows.size() / rows_at_a_time + 1);
  for_each_block(rows.size(), rows_at_a_time, [&](std::size_t first, std::size_t last) {
    std::string& text = texts[first / rows_at_a_time];
    for (std::size_t at = first; at < last; ++at) {
      const std::vector<Cell>& cells = rows[at].cells;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) text += ',';
        const auto* words = std::get_if<std::string>(&cells[i]);  // numbers need no quotes
        text += words != nullptr ? field(*words) : cell_text(cells[i]);
      }
      text += '\n';
    }
  });
  return texts;
}

}  // namespace

std::string write_csv(const Document& document, const Style&) {
  std::string text;
  for (const Block& block : document.blocks) {
    const auto* table = std::get_if<Table>(&block);
    if (table == nullptr) continue;
    for (std::size_t i = 0; i < table->columns.size(); ++i) {
      text += (i == 0 ? "" : ",") + field(table->columns[i].key);
    }
    text += '\n';
    const std::vector<std::string> texts = lines_of(table->rows);
    std::size_t length = text.size();
    for (const std::string& lines : texts) length += lines.size();
    text.reserve(length);
    for (const std::string& lines : texts) text += lines;
    return text;
  }
  return text;
}

}  // namespace roofcast
