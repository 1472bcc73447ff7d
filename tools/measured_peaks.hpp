#pragma once
// The best rates that a folder of samples has.

#include <filesystem>
#include <span>
#include <string>

#include "engine/base/diagnostics.hpp"
#include "engine/base/units.hpp"
#include "kernels/probe.hpp"

namespace roofcast {

struct MeasuredPeaks {
  FlopsPerSecond product{};  ///< 0 if no product was measured
  BytesPerSecond stream{};   ///< of cold operands; 0 if there were none
  std::string product_probe{};
  std::string stream_probe{};
};

/// `probes` says what the rows of streams had to do; rows of others do not count.
Result<MeasuredPeaks> measured_peaks(const std::filesystem::path& samples, std::span<const Probe> probes);

}  // namespace roofcast
