#include "engine/io/toml_text.hpp"

namespace roofcast {

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    const auto code = static_cast<unsigned char>(letter);
    result += code < 0x20 || code == 0x7f ? ' ' : letter;
  }
  return result + '"';
}

}  // namespace roofcast
