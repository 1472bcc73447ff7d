#include "kernels/method/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

constexpr std::int64_t most_runs = 1 << 20;

/// The time of one run, in a batch.
Result<Seconds> time_of_one(const TimedKernel& kernel, std::int64_t batch) {
  const auto took = kernel.run(batch);
  if (!took) return tl::make_unexpected(took.error());
  if (took->count() < 0) return fail(fmt::format("a run took {} s", took->count()));
  return *took / static_cast<double>(batch);
}

/// Runs alone and in growing batches until all rules of warming up are met, and once more: the first runs may
/// all have been slow. The shorter time of one run in these last two batches.
Result<Seconds> warm_up(const TimedKernel& kernel, const TimingRules& rules, Seconds begin) {
  std::int64_t done = 0;
  std::int64_t batch = 1;
  while (true) {
    const auto one = time_of_one(kernel, batch);
    if (!one) return one;
    done += batch;
    const Seconds passed = kernel.now() - begin;
    if (passed >= rules.cap) return one;
    if (done >= rules.warm_up_runs && passed >= rules.warm_up) {
      const auto again = time_of_one(kernel, batch);
      return again ? Result<Seconds>(std::min(*one, *again)) : again;
    }
    if (*one * static_cast<double>(batch) < rules.shortest_batch) batch = std::min(2 * batch, most_runs);
  }
}

std::int64_t runs_in_batch(Seconds one, Seconds shortest) {
  if (one <= shortest / static_cast<double>(most_runs)) return most_runs;
  return std::max<std::int64_t>(1, std::llround(std::ceil(shortest / one)));
}

bool is_slow(const std::vector<Hertz>& clocks, const TimingRules& rules, Hertz nominal) {
  const auto slow =
      std::ranges::count_if(clocks, [&](Hertz clock) { return clock < rules.slow_clock * nominal; });
  return static_cast<double>(slow) > rules.slow_share * static_cast<double>(clocks.size());
}

}  // namespace

std::string flags(const Timing& timing) {
  std::vector<const char*> words;
  if (timing.unsettled) words.push_back("unsettled");
  if (timing.bimodal) words.push_back("bimodal");
  if (timing.drifting) words.push_back("drifting");
  if (timing.slow_clock) words.push_back("slow-clock");
  if (timing.throttled) words.push_back("throttled");
  return fmt::format("{}", fmt::join(words, " "));
}

Result<Timing> time_kernel(const TimedKernel& kernel, const TimingRules& rules, Hertz nominal) {
  constexpr std::size_t least_at_cap = 3;
  const Seconds begin = kernel.now();
  const auto one = warm_up(kernel, rules, begin);
  if (!one) return tl::make_unexpected(one.error());

  Timing timing{.runs_in_batch = runs_in_batch(*one, rules.shortest_batch)};
  std::vector<Seconds> times;
  std::vector<Hertz> clocks;
  std::vector<Watts> powers;
  std::size_t throttled = 0;
  Seconds total{};
  while (true) {
    const auto took = kernel.run(timing.runs_in_batch);
    if (!took) return tl::make_unexpected(took.error());
    total += *took;
    times.push_back(*took / static_cast<double>(timing.runs_in_batch));
    if (const auto clock = kernel.clock()) clocks.push_back(*clock);
    if (const auto power = kernel.power ? kernel.power() : std::nullopt) powers.push_back(*power);
    if (kernel.throttled && kernel.throttled()) ++throttled;
    if (times.size() < least_at_cap) continue;
    timing.of_one_run = statistics(times);
    if (timing.of_one_run.median.count() <= 0) return fail("runs take no time by the device's clock");
    const bool settled = half_width(timing.of_one_run) < rules.settled;
    if (times.size() >= rules.least_timings && total >= rules.least_total && settled) break;
    if (kernel.now() - begin >= rules.cap || times.size() >= rules.most_timings) {
      timing.unsettled = !settled || times.size() < rules.least_timings;
      break;
    }
  }
  timing.bimodal = spread(timing.of_one_run) > rules.bimodal;
  timing.drifting = std::abs(drift(times)) > rules.drifting;
  if (!clocks.empty()) {
    timing.slow_clock = nominal.value > 0 && is_slow(clocks, rules, nominal);
    std::ranges::sort(clocks);
    timing.clock = clocks[clocks.size() / 2];
  }
  if (!powers.empty()) {
    std::ranges::sort(powers);
    timing.power = powers[powers.size() / 2];
  }
  timing.throttled = static_cast<double>(throttled) > rules.slow_share * static_cast<double>(times.size());
  return timing;
}

}  // namespace roofcast
