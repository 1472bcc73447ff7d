#pragma once
// One probe on one device: prepared, checked, timed.

#include <functional>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/method/timing.hpp"
#include "kernels/probe.hpp"

namespace roofcast {

struct Sample {
  Probe probe{};
  Timing timing{};
  std::string algorithm{};  ///< which implementation a library has chosen
  std::string failure{};    ///< why there is no timing; empty if there is one
};

/// `rules`; but under sustained load 3 s of warming up and at least 3 s of timings, in batches of 0.2 s: what
/// is asked for between two of them (the clock, for 2 ms) is no rest.
TimingRules rules_of(const Probe& probe, const TimingRules& rules);

/// A probe that cannot be prepared, computes wrong numbers or fails gives a sample that says so. `now` is the
/// host's time.
Sample measure(Backend& backend, const Probe& probe, const TimingRules& rules,
               const std::function<Seconds()>& now);

}  // namespace roofcast
