#include "kernels/cpu/clock_speed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace roofcast {
namespace {

// The empty statement makes the compiler believe that the sum is used after each addition.
inline std::uint64_t add_sixteen_times(std::uint64_t sum, std::uint64_t step) {
  for (int i = 0; i < 16; ++i) {
    sum += step;
    asm volatile("" : "+r"(sum));
  }
  return sum;
}

}  // namespace

Hertz clock_speed() {
  using Clock = std::chrono::steady_clock;
  constexpr int tries = 3;
  constexpr int rounds = 1250;
  constexpr double additions = 16.0 * rounds;
  Hertz best{};
  std::uint64_t sum = 1;
  std::uint64_t step = 3;
  asm volatile("" : "+r"(step));
  for (int i = 0; i < tries; ++i) {
    const auto begin = Clock::now();
    for (int round = 0; round < rounds; ++round) sum = add_sixteen_times(sum, step);
    const Seconds took = Clock::now() - begin;
    best = std::max(best, Hertz{additions / took.count()});
  }
  return best;
}

}  // namespace roofcast
