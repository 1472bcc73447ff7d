#include "kernels/measure.hpp"

namespace roofcast {
namespace {

Sample failed(const Probe& probe, const Diagnostics& problems) {
  return {.probe = probe, .failure = problems.empty() ? "unknown" : problems.front().message};
}

}  // namespace

TimingRules rules_of(const Probe& probe, const TimingRules& rules) {
  if (probe.load == Load::burst) return rules;
  TimingRules longer = rules;
  longer.warm_up = Seconds{3};
  longer.shortest_batch = Seconds{0.2};
  longer.least_total = Seconds{3};
  longer.cap = Seconds{7.5};
  return longer;
}

Sample measure(Backend& backend, const Probe& probe, const TimingRules& rules,
               const std::function<Seconds()>& now) {
  const auto prepared = backend.prepare(probe);
  if (!prepared) return failed(probe, prepared.error());
  if (const auto right = (*prepared)->verify(); !right) return failed(probe, right.error());
  DeviceCondition condition;  // asked for with the time, while the device is still busy or just was
  const TimedKernel kernel{.run =
                               [&](std::int64_t times) {
                                 const auto took = (*prepared)->run(times);
                                 condition = backend.condition_now();
                                 return took;
                               },
                           .now = now,
                           .clock = [&] { return backend.clock_now(); },
                           .power = [&] { return condition.power; },
                           .throttled = [&] { return condition.throttled; }};
  auto timing = time_kernel(kernel, rules_of(probe, rules), backend.device().clock);
  if (!timing) return failed(probe, timing.error());
  return {.probe = probe, .timing = *std::move(timing), .algorithm = (*prepared)->algorithm()};
}

}  // namespace roofcast
