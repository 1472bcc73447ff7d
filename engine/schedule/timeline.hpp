#pragma once
// When the host submits kernels and when the device runs them.

#include <array>
#include <span>

#include "engine/base/units.hpp"

namespace roofcast {

/// A stretch of a program whose kernels are alike: the forward pass, the backward pass, the optimizer.
struct Stretch {
  Seconds host{};    ///< submitting all of it
  Seconds device{};  ///< running all of it, with the gaps between kernels
};

struct Timeline {
  Seconds total{};
  Seconds device{};   ///< busy
  Seconds waiting{};  ///< the device waits for the host so long
};

/// The host runs ahead of the device; a stretch's kernels are spread evenly over both. With h_i and d_i the
/// times at which host and device are done with stretch i,
///
///     h_i = h_(i-1) + host_i
///     d_i = max(d_(i-1), h_(i-1) + latency) + device_i      if the device is the slower of the two
///     d_i = max(that, h_i + latency)                        the last kernel is not submitted before h_i
///
/// so that a small batch takes as long as the host needs. `latency`: from submitting to starting.
Timeline timeline(std::span<const Stretch> stretches, Seconds latency);

}  // namespace roofcast
