#include "kernels/cpu/fma_rate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/cpu/crew.hpp"

namespace roofcast {
namespace {

// What is timed is not watched: sanitizers would keep the chains in memory.
#define ROOFCAST_UNWATCHED __attribute__((no_sanitize("address", "undefined")))

// Two units with a latency of five cycles keep ten chains busy.
constexpr int chains = 10;

/// Runs so many rounds of one multiply-add in each chain; the sum of the chains keeps all of them.
struct Loop {
  float (*run)(int rounds, const float* start) = nullptr;  ///< `start`: of each chain
  int lanes = 1;
};

#if defined(__x86_64__)
// Chains that begin alike would be one. In registers all the time: the rounds have nothing else to do.
ROOFCAST_UNWATCHED __attribute__((target("avx2,fma"))) float run_avx2(int rounds, const float* start) {
  __m256 sums[chains];  // std::array would drop what the type says of its alignment
  for (int i = 0; i < chains; ++i) sums[i] = _mm256_set1_ps(start[i]);
  const __m256 factor = _mm256_set1_ps(0.999F);
  const __m256 term = _mm256_set1_ps(0.001F);
  for (int i = 0; i < rounds; ++i) {
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, term);
  }
  __m256 total = _mm256_setzero_ps();
  for (const __m256& sum : sums) total = _mm256_add_ps(total, sum);
  return _mm256_cvtss_f32(total);
}

ROOFCAST_UNWATCHED __attribute__((target("avx512f"))) float run_avx512(int rounds, const float* start) {
  __m512 sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = _mm512_set1_ps(start[i]);
  const __m512 factor = _mm512_set1_ps(0.999F);
  const __m512 term = _mm512_set1_ps(0.001F);
  for (int i = 0; i < rounds; ++i) {
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, term);
  }
  __m512 total = _mm512_setzero_ps();
  for (const __m512& sum : sums) total = _mm512_add_ps(total, sum);
  return _mm512_cvtss_f32(total);
}
#endif

// Whatever vectors the compiler's default processor has.
ROOFCAST_UNWATCHED float run_plain(int rounds, const float* start) {
  std::array<std::array<float, 4>, chains> sums{};
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].fill(start[i]);
  for (int i = 0; i < rounds; ++i) {
    for (auto& sum : sums) {
      for (float& lane : sum) lane = lane * 0.999F + 0.001F;
    }
  }
  float total = 0;
  for (const auto& sum : sums) {
    for (const float lane : sum) total += lane;
  }
  return total;
}

Loop widest_loop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {run_avx512, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {run_avx2, 8};
#endif
  return {run_plain, 4};
}

}  // namespace

FlopsPerSecond fma_rate() {
  using Clock = std::chrono::steady_clock;
  constexpr int tries = 20;
  constexpr int rounds = 200'000;
  const Loop loop = widest_loop();
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const double operations = 2.0 * loop.lanes * chains * rounds;
  std::array<float, chains> start{};
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = 1.0F + static_cast<float>(i);
  // Of each core its own time: while all of them work, so that the clock is the one that they have then.
  std::vector<Seconds> took(cores);
  std::vector<float> sums(cores);
  Seconds least{1e9};
  for (int i = 0; i < tries; ++i) {
    run_in_blocks(cores, 1, [&](std::size_t core, std::size_t) {
      const auto begin = Clock::now();
      sums[core] = loop.run(rounds, start.data());
      took[core] = Clock::now() - begin;
    });
    for (std::size_t core = 0; core < cores; ++core) {
      if (std::isfinite(sums[core])) least = std::min(least, took[core]);
    }
  }
  return FlopsPerSecond{static_cast<double>(cores) * operations / least.count()};
}

}  // namespace roofcast
