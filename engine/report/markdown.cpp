#include "engine/report/markdown.hpp"

#include "engine/report/cell_text.hpp"

namespace roofcast {
namespace {

// Keeps a cell in its cell and a name from becoming markup.
std::string escaped(std::string_view text) {
  std::string shown;
  for (const char letter : on_one_line(text)) {
    if (letter == '|' || letter == '*' || letter == '_' || letter == '<' || letter == '`' || letter == '\\')
      shown += '\\';
    shown += letter;
  }
  return shown;
}

std::string written(const Table& table) {
  std::string text;
  if (!table.title.empty()) text += "**" + escaped(table.title) + "**\n\n";
  for (const Column& column : table.columns) text += "| " + escaped(title_on_one_line(column)) + " ";
  text += "|\n";
  for (const Column& column : table.columns)
    text += column.alignment == Alignment::right ? "| ---: " : "| --- ";
  text += "|\n";
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) text += "| " + escaped(cell_text(cell)) + " ";
    text += "|\n";
  }
  for (const std::string& line : table.footer) text += "\n" + escaped(line) + "\n";
  return text;
}

std::string written(const Paragraph& paragraph) {
  const bool strong = paragraph.emphasis == Emphasis::strong;
  return (strong ? "**" : "") + escaped(paragraph.text) + (strong ? "**" : "") + "\n";
}

std::string written(const List& list) {
  std::string text = "**" + escaped(list.title) + "**\n\n";
  for (const std::string& item : list.items) text += "- " + escaped(item) + "\n";
  return text;
}

}  // namespace

std::string write_markdown(const Document& document, const Style&) {
  std::string text;
  for (const Block& block : document.blocks) {
    if (!text.empty()) text += '\n';
    text += std::visit([](const auto& part) { return written(part); }, block);
  }
  return text;
}

}  // namespace roofcast
