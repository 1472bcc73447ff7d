// On a device, if there is one: every kernel computes the right numbers and has a time that is possible.
// Skipped but in the test with the label gpu.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "kernels/cuda/open_cuda.hpp"
#include "kernels/measure.hpp"

namespace roofcast {
namespace {

Seconds now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

TEST_CASE("CUDA device: the smallest and a large probe of each operator and precision is right" *
          doctest::skip()) {
  const auto backend = open_cuda_backend();
  if (!backend) {
    MESSAGE("skipped: ", backend.error().front().message);
    return;
  }
  const TimingRules rules{.warm_up = Seconds{0.005}, .least_total = Seconds{0.01}, .cap = Seconds{0.1}};
  CHECK((*backend)->device().clock > megahertz(100));
  CHECK((*backend)->device().clock < megahertz(5000));
  std::vector<Probe> probes = probe_list(Extent::quick, (*backend)->limits());
  std::ranges::stable_sort(probes, {}, [](const Probe& probe) { return (probe.read + probe.written).value; });
  for (const bool from_large : {false, true}) {
    if (from_large) std::ranges::reverse(probes);
    std::set<std::string> done;
    for (const Probe& probe : probes) {
      if (!done.insert(probe.op + probe.precision).second) continue;
      CAPTURE(name(probe));
      const Sample sample = measure(**backend, probe, rules, now);
      CHECK(sample.failure == "");
      if (!sample.failure.empty()) continue;
      const double seconds = sample.timing.of_one_run.median.count();
      CHECK(probe.operations.value / seconds < 1e16);
      if (probe.residency == Residency::cold) CHECK((probe.read + probe.written).value / seconds < 2e13);
    }
  }
}

}  // namespace
}  // namespace roofcast
