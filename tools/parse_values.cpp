#include "tools/parse_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/expression.hpp"
#include "engine/decide/request.hpp"

namespace roofcast {
namespace {

constexpr std::int64_t largest_size = 1'000'000'000'000;

}  // namespace

Result<std::int64_t> parse_size(std::string_view text, std::string_view option) {
  std::string_view digits = text;
  std::int64_t unit = 1;
  if (digits.ends_with('k') || digits.ends_with('K')) {
    unit = 1024;
    digits.remove_suffix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{} && end == digits.data() + digits.size() && value >= 1 &&
      value <= largest_size / unit) {
    return value * unit;
  }
  return fail(fmt::format("{}: '{}' is not a whole number from 1 to {}", option, text, largest_size), {},
              "a 'k' at the end means 1024: 4k is 4096");
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    begin = end + 1;
  }
  return parts;
}

namespace {

// The powers of two between the ends, and both.
std::vector<std::int64_t> powers_of_two(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> sizes{first};
  for (std::int64_t power = 1; power < last; power *= 2) {
    if (power > first) sizes.push_back(power);
  }
  sizes.push_back(last);
  return sizes;
}

// "8", "1..256" or "8..512:8".
Result<std::vector<std::int64_t>> parse_range(std::string_view text, const std::string& option) {
  const auto dots = text.find("..");
  const auto first = parse_size(text.substr(0, dots), option);
  if (!first) return tl::make_unexpected(first.error());
  if (dots == std::string_view::npos) return std::vector{*first};
  const auto colon = text.find(':', dots);
  const auto last = parse_size(text.substr(dots + 2, std::min(colon, text.size()) - dots - 2), option);
  if (!last) return tl::make_unexpected(last.error());
  if (*last < *first) {
    return fail(fmt::format("{}: the range '{}' ends before it begins", option, text), {}, "write 1..256");
  }
  if (colon == std::string_view::npos) return powers_of_two(*first, *last);
  const auto step = parse_size(text.substr(colon + 1), option + ", the step");
  if (!step) return tl::make_unexpected(step.error());
  const std::int64_t count = (*last - *first) / *step + 1;
  if (count > most_configurations) {
    return fail(
        fmt::format("{}: '{}' are {} sizes, and {} are the most", option, text, count, most_configurations),
        {}, "take a larger step");
  }
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < count; ++i) sizes.push_back(*first + i * *step);
  return sizes;
}

// Numbers and ranges between commas. `zero`: whether 0 is a size too.
Result<std::vector<std::int64_t>> parse_sizes(std::string_view text, const std::string& option, bool zero) {
  std::vector<std::int64_t> all;
  for (const std::string& part : split_list(text)) {
    if (zero && part == "0") {
      all.push_back(0);
      continue;
    }
    const auto sizes = parse_range(part, option);
    if (!sizes) return tl::make_unexpected(sizes.error());
    all.insert(all.end(), sizes->begin(), sizes->end());
    if (std::ssize(all) > most_configurations)
      return fail(fmt::format("{}: more than {} sizes", option, most_configurations), {},
                  "take larger steps");
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Result<std::vector<std::int64_t>> parse_batches(std::string_view text) {
  return parse_sizes(text, "--batch", false);
}

Result<std::pair<std::string, std::vector<std::int64_t>>> parse_assignment(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) {
    return fail(fmt::format("--set: '{}' is not NAME=VALUE", text), {}, "for example --set seq=512");
  }
  const std::string name(text.substr(0, equals));
  if (!is_identifier(name)) return fail(fmt::format("--set: '{}' is not a symbol's name", name));
  auto values = parse_sizes(text.substr(equals + 1), "--set " + name, true);  // 0: no, in flags
  if (!values) return tl::make_unexpected(values.error());
  return std::pair{name, *std::move(values)};
}

Result<std::pair<std::string, std::vector<std::int64_t>>> parse_shape(std::string_view text) {
  const auto equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return fail(fmt::format("--shape: '{}' is not INPUT=1x3x224x224", text), {},
                "for example --shape image=1x3x224x224; `simulate show model FILE` prints the inputs");
  }
  const std::string name(text.substr(0, equals));
  std::vector<std::int64_t> shape;
  std::string_view dims = text.substr(equals + 1);
  while (!dims.empty()) {
    const std::size_t end = std::min(dims.find('x'), dims.size());
    const auto size = parse_size(dims.substr(0, end), fmt::format("--shape {}", name));
    if (!size) return tl::make_unexpected(size.error());
    shape.push_back(*size);
    dims.remove_prefix(std::min(end + 1, dims.size()));
  }
  return std::pair{name, shape};
}

Result<Price> parse_price(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('$')) digits.remove_prefix(1);
  if (digits.ends_with("/h")) digits.remove_suffix(2);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{} && end == digits.data() + digits.size() && std::isfinite(value) && value > 0) {
    return Price{.per_gpu = UsdPerHour{value}, .cloud = "user"};
  }
  return fail(fmt::format("--price: '{}' is not a price above 0 per GPU and hour", text), {},
              "write it in US dollars, such as 1.99 or 1.99/h");
}

Result<std::size_t> parse_threads(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::size_t most = 1024;
  if (error == std::errc{} && end == text.data() + text.size() && value >= 1 && value <= most) return value;
  return fail(fmt::format("--threads: '{}' is not a whole number from 1 to {}", text, most), {},
              "leave it out for all threads of the machine");
}

Result<double> parse_rate(std::string_view text) {
  std::string_view digits = text;
  double unit = 1;
  if (digits.ends_with('k') || digits.ends_with('K')) {
    unit = 1000;
    digits.remove_suffix(1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  constexpr double largest = 1e12;
  if (error == std::errc{} && end == digits.data() + digits.size() && value > 0 && value * unit <= largest) {
    return value * unit;
  }
  return fail(fmt::format("--input-rate: '{}' is not a number of samples per second above 0", text), {},
              "for example 1500; a 'k' at the end means 1000");
}

}  // namespace roofcast
