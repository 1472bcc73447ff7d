#include "engine/report/cell_text.hpp"

#include "engine/report/numbers.hpp"

namespace roofcast {

std::string cell_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return raw_number(*number);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "true" : "false";
  return {};
}

std::string on_one_line(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '\n' || letter == '\t') {
      shown += ' ';
    } else {
      shown += code < 0x20 || code == 0x7f ? '?' : letter;
    }
  }
  return shown;
}

std::string title_on_one_line(const Column& column) {
  std::string title = column.title;
  if (const auto unit = title.find("\n/"); unit != std::string::npos) title.erase(unit, 1);
  return on_one_line(title);
}

}  // namespace roofcast
