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

/// Normal with mean 0 and deviation 1, by Box and Muller: sqrt(-2 ln u) cos(2 pi v).
inline double random_normal(std::uint64_t seed, std::uint64_t counter) {
  const double radius = std::sqrt(-2.0 * std::log(random_uniform(seed, 2 * counter)));
  return radius * std::cos(2.0 * std::numbers::pi * random_uniform(seed, 2 * counter + 1));
}

}  // namespace roofcast
