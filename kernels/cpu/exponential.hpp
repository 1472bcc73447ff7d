#pragma once
// e^x in a form that compilers turn into vector instructions.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace roofcast {

/// Relative error below 3e-7 where e^x is a normal float; outside it stays at the ends.
///
///     e^x = 2^n e^r,  n = x / ln 2 rounded,  r = x - n ln 2,  |r| <= ln 2 / 2
///
/// e^r is its Taylor polynomial of degree 6, whose rest is below r^7 / 5040 = 1.2e-7. ln 2 is split in two
/// (Cody and Waite, 1980), so that n ln 2 is exact enough.
inline float exponential(float x) {
  x = std::min(std::max(x, -87.0F), 88.0F);
  constexpr float round = 12582912.0F;  // 1.5 * 2^23: adding it drops all bits behind the point
  const float n = (x * 1.44269504F + round) - round;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

}  // namespace roofcast
