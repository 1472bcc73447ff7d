#pragma once
// What `calibrate measure` plans before it measures.

#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/method/timing.hpp"
#include "kernels/probe_list.hpp"

namespace roofcast {

struct MeasurePlan {
  std::vector<Probe> probes{};
  TimingRules rules{};
  Seconds time{};  ///< after which nothing new begins
  Bytes memory{};  ///< that the largest probe takes
};

/// How long a series may take: a quick plan gives each probe less.
TimingRules timing_rules(Extent extent);

/// A probe takes at most the cap of its series (`rules_of`), and for preparing and checking it, which is
/// assumed and not measured, 0.1 s and what its operands take at 0.5 GB/s.
MeasurePlan measure_plan(const Backend& backend, Extent extent, std::vector<Probe> probes);

/// "nvidia-a100" of "NVIDIA A100": small letters, digits and dashes.
std::string slug_of(const std::string& name);

}  // namespace roofcast
