#pragma once
// What is measured: a list of families, each of which makes its probes.

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/units.hpp"
#include "kernels/probe.hpp"

namespace roofcast {

enum class Extent : std::uint8_t { quick, full };

/// What a device can be asked for. Probes beyond it are not in its list.
struct ProbeLimits {
  Bytes memory{};      ///< of one set of operands and results
  Flops operations{};  ///< of one run
};

struct ProbeFamily {
  std::string_view name{};
  std::vector<Probe> (*probes)(Extent extent, const ProbeLimits& limits) = nullptr;
};

const std::vector<ProbeFamily>& probe_families();

/// Those of all families in the order in which they are measured: mixed, so that a device that gets slower
/// does not look like a kernel that is slow. The same for the same limits.
std::vector<Probe> probe_list(Extent extent, const ProbeLimits& limits);

}  // namespace roofcast
