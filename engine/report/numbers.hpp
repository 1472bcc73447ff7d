#pragma once
// Numbers as text. No locale has a say in it.

#include <cstdint>
#include <string>
#include <string_view>

namespace roofcast {

/// Three significant digits and thousands separators: 4.90, 31.4, 1,250, 12,300; "n/a" for what is not
/// finite.
std::string three_digits(double value);

/// 1,234,567
std::string grouped(std::int64_t value);

/// A share in [0, 1] as "78%"; small ones as "<1%".
std::string percent(double share);

/// For programs: as short as it can be and still read back as the same value; empty for what is not finite.
std::string raw_number(double value);

/// A count with a unit prefix: 340 M, 1.24 T.
std::string with_prefix(double value);

/// "1 row", "2 rows"
std::string counted(std::int64_t count, std::string_view noun, std::string_view plural = "s");

}  // namespace roofcast
