#include "engine/report/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace roofcast {
namespace {

std::string with_separators(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "n/a";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size < 1e-4 || size >= 1e15) return fmt::format("{:.2e}", value);
  // Rounding may carry into a further digit (9.996 is 10.0, not 10.00), so the exponent is taken after it.
  const std::string rounded = fmt::format("{:.2e}", value);
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (exponent >= 2) {
    const double step = std::pow(10.0, exponent - 2);
    return with_separators(fmt::format("{:.0f}", std::round(value / step) * step));
  }
  return fmt::format("{:.{}f}", value, 2 - exponent);
}

std::string grouped(std::int64_t value) {
  return with_separators(std::to_string(value));
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "n/a";
  if (share > 0 && share < 0.005) return "<1%";
  return fmt::format("{:.0f}%", share * 100);
}

std::string raw_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string{};
}

std::string with_prefix(double value) {
  static constexpr std::array<std::string_view, 6> prefixes = {"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  double scaled = value;
  while (std::abs(scaled) >= 999.5 && prefix + 1 < prefixes.size()) {
    scaled /= 1000;
    ++prefix;
  }
  if (prefix == 0 && scaled == std::round(scaled)) return fmt::format("{:.0f}", scaled);
  return three_digits(scaled) + std::string(prefixes[prefix]);
}

std::string counted(std::int64_t count, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : plural);
}

}  // namespace roofcast
