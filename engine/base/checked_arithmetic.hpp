#pragma once
// 64-bit arithmetic that notices when it overflows.

#include <cstdint>
#include <limits>
#include <optional>

namespace roofcast {

inline std::optional<std::int64_t> checked_add(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<std::int64_t> checked_multiply(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(left, right, &result)) return std::nullopt;
  return result;
}

// floor(a / b) for b != 0 and not (a = -2^63, b = -1)
inline std::int64_t floored(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  const bool rounded_up = dividend % divisor != 0 && ((dividend < 0) != (divisor < 0));
  return rounded_up ? quotient - 1 : quotient;
}

inline std::optional<std::int64_t> checked_floor_divide(std::int64_t dividend, std::int64_t divisor) {
  if (divisor == 0 || (divisor == -1 && dividend == std::numeric_limits<std::int64_t>::min()))
    return std::nullopt;
  return floored(dividend, divisor);
}

}  // namespace roofcast
