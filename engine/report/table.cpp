#include "engine/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/report/cell_text.hpp"
#include "engine/report/wrap.hpp"

namespace roofcast {
namespace {

constexpr std::size_t narrowest_text = 12;  // a left-aligned column is not shortened below this

// A table as texts, with one entry of `titles` for each line of the heads.
struct Grid {
  std::vector<Column> columns{};
  std::vector<std::vector<std::string>> titles{};
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::size_t> widths{};
  std::size_t gap = 2;
};

std::vector<std::string> lines_of(const std::string& title) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= title.size();) {
    const std::size_t end = std::min(title.find('\n', begin), title.size());
    lines.push_back(title.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Heads of one line stand on the lowest one.
std::vector<std::vector<std::string>> title_lines(const std::vector<Column>& columns) {
  std::size_t height = 1;
  for (const Column& column : columns) height = std::max(height, lines_of(column.title).size());
  std::vector<std::vector<std::string>> titles(height, std::vector<std::string>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto lines = lines_of(columns[i].title);
    for (std::size_t j = 0; j < lines.size(); ++j) titles[height - lines.size() + j][i] = lines[j];
  }
  return titles;
}

Grid grid_of(const Table& table) {
  Grid grid{.columns = table.columns, .titles = title_lines(table.columns)};
  for (const Row& row : table.rows) {
    std::vector<std::string> texts;
    for (const Cell& cell : row.cells) texts.push_back(on_one_line(cell_text(cell)));
    texts.resize(table.columns.size());
    grid.rows.push_back(std::move(texts));
  }
  grid.widths.assign(table.columns.size(), 0);
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    for (const auto* lines : {&grid.titles, &grid.rows}) {
      for (const auto& line : *lines) grid.widths[i] = std::max(grid.widths[i], display_width(line[i]));
    }
  }
  return grid;
}

std::size_t total_width(const Grid& grid) {
  std::size_t width = grid.widths.empty() ? 0 : grid.gap * (grid.widths.size() - 1);
  for (const std::size_t column : grid.widths) width += column;
  return width;
}

void shorten_texts(Grid& grid, std::size_t width) {
  while (total_width(grid) > width) {
    std::size_t widest = grid.columns.size();
    for (std::size_t i = 0; i < grid.columns.size(); ++i) {
      if (grid.columns[i].alignment != Alignment::left || grid.widths[i] <= narrowest_text) continue;
      if (widest == grid.columns.size() || grid.widths[i] > grid.widths[widest]) widest = i;
    }
    if (widest == grid.columns.size()) return;
    --grid.widths[widest];
  }
}

void erase_column(Grid& grid, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  grid.columns.erase(grid.columns.begin() + at);
  grid.widths.erase(grid.widths.begin() + at);
  for (auto& line : grid.titles) line.erase(line.begin() + at);
  for (auto& line : grid.rows) line.erase(line.begin() + at);
}

// Returns the heads of the columns that had to go.
std::vector<std::string> fit(Grid& grid, std::size_t width) {
  std::vector<std::string> left_out;
  if (width == 0 || total_width(grid) <= width) return left_out;
  grid.gap = 1;
  std::vector<std::size_t> full_widths = grid.widths;
  for (;;) {
    grid.widths = full_widths;
    shorten_texts(grid, width);
    if (total_width(grid) <= width) return left_out;
    std::size_t last = grid.columns.size();
    for (std::size_t i = 0; i < grid.columns.size(); ++i) {
      if (grid.columns[i].optional) last = i;
    }
    if (last == grid.columns.size()) return left_out;
    left_out.insert(left_out.begin(), title_on_one_line(grid.columns[last]));
    erase_column(grid, last);
    full_widths.erase(full_widths.begin() + static_cast<std::ptrdiff_t>(last));
  }
}

std::string line_of(const Grid& grid, const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = shortened(texts[i], grid.widths[i]);
    const std::string space(grid.widths[i] - std::min(grid.widths[i], display_width(text)), ' ');
    if (i > 0) line.append(grid.gap, ' ');
    line += grid.columns[i].alignment == Alignment::right ? space + text : text + space;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string coloured(const std::string& text, Emphasis emphasis, const Style& style) {
  if (!style.colour || emphasis == Emphasis::none || text.empty()) return text;
  return (emphasis == Emphasis::strong ? "\033[1m" : "\033[2m") + text + "\033[0m";
}

std::size_t width_of(const Style& style) {
  return style.width > 0 ? static_cast<std::size_t>(style.width) : 0;
}

std::string written(const Table& table, const Style& style) {
  const std::size_t width = width_of(style);
  Grid grid = grid_of(table);
  const std::vector<std::string> left_out = fit(grid, width);
  std::string text;
  if (!table.title.empty()) text += wrapped(on_one_line(table.title), width) + "\n";
  for (const auto& titles : grid.titles) text += line_of(grid, titles) + "\n";
  text += std::string(width == 0 ? total_width(grid) : std::min(total_width(grid), width), '-') + "\n";
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    text += coloured(line_of(grid, grid.rows[i]), table.rows[i].emphasis, style) + "\n";
  }
  for (const std::string& line : table.footer) text += wrapped(on_one_line(line), width) + "\n";
  if (!left_out.empty()) {
    text += wrapped(fmt::format("left out to fit {} columns: {} (--wide shows them)", width,
                                fmt::join(left_out, ", ")),
                    width) +
            "\n";
  }
  return text;
}

std::string written(const Paragraph& paragraph, const Style& style) {
  return coloured(wrapped(on_one_line(paragraph.text), width_of(style)), paragraph.emphasis, style) + "\n";
}

std::string written(const List& list, const Style& style) {
  std::string text = list.title + "\n";
  for (const std::string& item : list.items)
    text += wrapped("- " + on_one_line(item), width_of(style), 2) + "\n";
  return text;
}

}  // namespace

std::string write_table(const Document& document, const Style& style) {
  std::string text;
  bool after_paragraph = false;  // paragraphs are sentences that belong together; the rest stands apart
  for (const Block& block : document.blocks) {
    const bool paragraph = std::holds_alternative<Paragraph>(block);
    if (!text.empty() && !(paragraph && after_paragraph)) text += '\n';
    after_paragraph = paragraph;
    text += std::visit([&](const auto& part) { return written(part, style); }, block);
  }
  return text;
}

}  // namespace roofcast
