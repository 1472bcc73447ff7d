#include "engine/report/wrap.hpp"

namespace roofcast {
namespace {

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char byte : text) width += starts_character(byte) ? 1 : 0;
  return width;
}

std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width || width < 3) return text;
  std::string kept;
  std::size_t characters = 0;
  for (const char byte : text) {
    if (starts_character(byte) && characters++ == width - 3) break;
    kept += byte;
  }
  return kept + "...";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  if (width == 0) return std::string(text);
  std::string lines;
  std::size_t used = 0;
  bool line_has_word = false;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    const std::size_t size = display_width(word);
    if (line_has_word && used + 1 + size > width) {
      lines += '\n' + std::string(indent, ' ');
      used = indent;
      line_has_word = false;
    }
    if (line_has_word) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += size;
    line_has_word = true;
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

}  // namespace roofcast
