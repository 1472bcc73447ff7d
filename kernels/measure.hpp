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

/// A probe that cannot be prepared, computes wrong numbers or fails gives a sample that says so. `now` is the
/// host's time.
Sample measure(Backend& backend, const Probe& probe, const TimingRules& rules,
               const std::function<Seconds()>& now);

}  // namespace roofcast
