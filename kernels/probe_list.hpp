#pragma once
// What is measured: a list of families, each of which makes its probes.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/units.hpp"
#include "kernels/probe.hpp"

namespace roofcast {

enum class Extent : std::uint8_t { quick, full };

/// An operator in a precision.
struct SupportedOp {
  std::string_view op{};
  std::string_view precision{};
};

/// What a device can be asked for. Probes beyond it are not in its list.
struct ProbeLimits {
  Bytes memory{};      ///< of one set of operands and results
  Flops operations{};  ///< of one run
  int units = 1;       ///< SMs, or cores
  int devices = 1;     ///< of this kind, among which there are collective operations
  Bytes cache{};       ///< the last level

  /// What the device has kernels for; empty: the operators of networks and plain streams, in fp32. The
  /// backend keeps the list alive.
  std::span<const SupportedOp> supported{};
};

struct ProbeFamily {
  std::string_view name{};
  std::vector<Probe> (*probes)(Extent extent, const ProbeLimits& limits) = nullptr;
};

const std::vector<ProbeFamily>& probe_families();

/// In which precisions the device has the operator, in the order of its list.
std::vector<std::string_view> precisions_of(std::string_view op, const ProbeLimits& limits);

/// Those of all families in the order in which they are measured: mixed, so that a device that gets slower
/// does not look like a kernel that is slow. The same for the same limits.
std::vector<Probe> probe_list(Extent extent, const ProbeLimits& limits);

}  // namespace roofcast
