#pragma once
// Numbers that look random and are a function of a seed and a place, so that any part of an input can be
// made, on any device, in any order.

#include <cmath>
#include <cstdint>
#include <numbers>

namespace roofcast {

/// 64 mixed bits: the finaliser of SplitMix64 over a counter. Source: Steele, Lea, Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t bits = (seed + 1) * 0xd1342543de82ef95U + (counter + 1) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

/// In (0, 1), both ends excluded.
constexpr double random_uniform(std::uint64_t seed, std::uint64_t counter) {
  return (static_cast<double>(random_bits(seed, counter) >> 11U) + 0.5) / 9007199254740992.0;  // 2^53
}

/// Nearly normal, with mean 0 and deviation 1, and the same to the last bit on every device: Irwin and Hall's
/// sum of four uniform numbers, here of 16 bits,
///
///     z = (u1 + u2 + u3 + u4 - 2 (2^16 - 1)) / sqrt((2^32 - 1) / 3)
///
/// The sum is exact and one product is rounded. |z| < 3.47. Source: Johnson, Kotz, Balakrishnan, "Continuous
/// Univariate Distributions" 2, 26.9; the variance of one is (2^32 - 1) / 12.
constexpr float random_bell(std::uint64_t seed, std::uint64_t counter) {
  const std::uint64_t bits = random_bits(seed, counter);
  constexpr std::uint64_t mask = 0xffff;
  const auto sum = static_cast<std::int32_t>((bits & mask) + ((bits >> 16U) & mask) + ((bits >> 32U) & mask) +
                                             (bits >> 48U));
  return static_cast<float>(sum - 131070) * 2.6428998e-5F;
}

/// Normal with mean 0 and deviation 1, by Box and Muller: sqrt(-2 ln u) cos(2 pi v).
inline double random_normal(std::uint64_t seed, std::uint64_t counter) {
  const double radius = std::sqrt(-2.0 * std::log(random_uniform(seed, 2 * counter)));
  return radius * std::cos(2.0 * std::numbers::pi * random_uniform(seed, 2 * counter + 1));
}

}  // namespace roofcast
