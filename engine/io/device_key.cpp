#include "engine/io/device_key.hpp"

#include <array>

namespace roofcast {

std::string device_key(std::string_view name) {
  std::string key;
  for (const char letter : name) {
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) key += letter;
    if (letter >= 'A' && letter <= 'Z') key += static_cast<char>(letter - 'A' + 'a');
  }
  static constexpr std::array<std::string_view, 4> brands = {"nvidia", "geforce", "tesla", "quadro"};
  bool dropped = true;
  while (dropped) {
    dropped = false;
    for (const std::string_view brand : brands) {
      if (!key.starts_with(brand)) continue;
      key.erase(0, brand.size());
      dropped = true;
    }
  }
  return key;
}

}  // namespace roofcast
