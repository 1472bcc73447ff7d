#pragma once
// What a series of timings says: its median, how well that is known, and whether something was wrong.

#include <cstddef>
#include <span>

#include "engine/base/units.hpp"

namespace roofcast {

/// Of the times of one run each.
struct Statistics {
  std::size_t count = 0;
  Seconds median{};
  Seconds deviation{};  ///< median of |t - median|
  Seconds low{};        ///< the median lies in [low, high] with 95% confidence
  Seconds high{};
  Seconds least{};
  Seconds p10{};
  Seconds p90{};
};

/// Order statistics only, so that a few outliers move nothing. The interval of the median, with n sorted
/// times t(1) ... t(n):
///
///     [t(floor((n - 1.96 sqrt(n)) / 2)), t(ceil(1 + (n + 1.96 sqrt(n)) / 2))]
///
/// held within 1 and n. Source: Conover, "Practical Nonparametric Statistics", 3.2; Le Boudec, "Performance
/// Evaluation", theorem 2.1. Needs: at least one time. Example: of 100 times, t(40) to t(61).
Statistics statistics(std::span<const Seconds> times);

/// Half of the interval's width over the median.
double half_width(const Statistics& series);

/// (p90 - p10) / median: above 8% there is more than one kind of run, for normal noise stays far below.
double spread(const Statistics& series);

/// By how much the last third differs from the first: ratio of their medians - 1. 0 where the difference may
/// be noise: Mann and Whitney's test, |U - ab/2| / sqrt(ab (a + b + 1) / 12) < 2.5, with a and b times in the
/// thirds and U of the a b pairs in order. `times` in the order in which they were taken. Fewer than 15 times
/// never show a drift.
double drift(std::span<const Seconds> times);

}  // namespace roofcast
