#pragma once
// How a kernel is timed: warmed up, in batches that are long enough, until its median is known.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/units.hpp"
#include "kernels/method/statistics.hpp"

namespace roofcast {

/// What is timed, and by which clocks. Tests put a device here that does not exist.
struct TimedKernel {
  std::function<Result<Seconds>(std::int64_t times)>
      run{};                                      ///< so many runs back to back: how long they took
  std::function<Seconds()> now{};                 ///< the host's time, for warming up and giving up
  std::function<std::optional<Hertz>()> clock{};  ///< the device's clock at this moment
  std::function<std::optional<Watts>()> power{};  ///< at this moment; may be missing
  std::function<bool()> throttled{};              ///< whether the device holds its clock down; may be missing
};

/// After nvbench (github.com/NVIDIA/nvbench, criteria of a measurement), with the median for the mean.
struct TimingRules {
  std::int64_t warm_up_runs = 3;
  Seconds warm_up{0.05};         ///< and so long at least
  Seconds shortest_batch{2e-3};  ///< a timing is of as many runs as take so long
  std::size_t least_timings = 10;
  std::size_t most_timings = 2000;
  Seconds least_total{0.1};
  Seconds cap{2.0};       ///< then it ends, settled or not; warming up counts
  double settled = 0.01;  ///< half width of the median's interval over the median
  double bimodal = 0.08;
  double drifting = 0.03;
  double slow_clock = 0.75;  ///< share of the nominal clock
  double slow_share = 0.1;   ///< of the timings, from which on a series counts as slow
};

/// Nothing is left out of the statistics: what looks wrong is told, and whoever reads it decides.
struct Timing {
  Statistics of_one_run{};
  std::int64_t runs_in_batch = 1;
  std::optional<Hertz> clock{};  ///< median over the timings
  std::optional<Watts> power{};  ///< median over the timings
  bool unsettled = false;        ///< the cap came first
  bool bimodal = false;
  bool drifting = false;
  bool slow_clock = false;
  bool throttled = false;  ///< the device said so, as often as makes a series slow
};

/// "unsettled bimodal", empty if nothing looked wrong.
std::string flags(const Timing& timing);

/// Warms up, chooses the batch, and takes timings until there are enough of them, they took long enough and
/// the median is settled, or the cap has come. Whatever the cap, there are three timings. Fails when a run
/// fails. `nominal`: the clock that the device should have under load; 0: not known.
Result<Timing> time_kernel(const TimedKernel& kernel, const TimingRules& rules, Hertz nominal);

}  // namespace roofcast
