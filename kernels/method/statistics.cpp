#include "kernels/method/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace roofcast {
namespace {

using Times = std::vector<Seconds>;

/// Between the two nearest order statistics.
Seconds quantile(const Times& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

Times in_order(std::span<const Seconds> times) {
  Times sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  return sorted;
}

/// t(rank) of n, the rank held within 1 and n.
Seconds at_rank(const Times& sorted, double rank) {
  const double held = std::clamp(rank, 1.0, static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(held) - 1];
}

}  // namespace

Statistics statistics(std::span<const Seconds> times) {
  const Times sorted = in_order(times);
  const Seconds median = quantile(sorted, 0.5);
  Times distances;
  for (const Seconds time : sorted) distances.push_back(Seconds{std::abs((time - median).count())});
  std::ranges::sort(distances);
  const auto n = static_cast<double>(sorted.size());
  const double reach = 1.96 * std::sqrt(n);
  return {.count = sorted.size(),
          .median = median,
          .deviation = quantile(distances, 0.5),
          .low = at_rank(sorted, std::floor((n - reach) / 2)),
          .high = at_rank(sorted, std::ceil(1 + (n + reach) / 2)),
          .least = sorted.front(),
          .p10 = quantile(sorted, 0.1),
          .p90 = quantile(sorted, 0.9)};
}

double half_width(const Statistics& series) {
  return (series.high - series.low) / series.median / 2;
}

double spread(const Statistics& series) {
  return (series.p90 - series.p10) / series.median;
}

double drift(std::span<const Seconds> times) {
  constexpr double surely = 2.5;
  const std::size_t third = times.size() / 3;
  if (third < 5) return 0;
  const auto first = times.first(third);
  const auto last = times.last(third);
  double ordered = 0;  // U; a tie counts half
  for (const Seconds early : first) {
    for (const Seconds late : last) ordered += early < late ? 1.0 : early > late ? 0.0 : 0.5;
  }
  const auto size = static_cast<double>(third);
  const double pairs = size * size;
  if (std::abs(ordered - pairs / 2) / std::sqrt(pairs * (2 * size + 1) / 12) < surely) return 0;
  return quantile(in_order(last), 0.5) / quantile(in_order(first), 0.5) - 1;
}

}  // namespace roofcast
