#include "engine/report/csv.hpp"

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
    for (const Row& row : table->rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        text += (i == 0 ? "" : ",") + field(cell_text(row.cells[i]));
      }
      text += '\n';
    }
    return text;
  }
  return text;
}

}  // namespace roofcast
