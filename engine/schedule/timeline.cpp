#include "engine/schedule/timeline.hpp"

#include <algorithm>

namespace roofcast {

Timeline timeline(std::span<const Stretch> stretches, Seconds latency) {
  Timeline result;
  Seconds host{};
  Seconds device{};
  for (const Stretch& stretch : stretches) {
    if (stretch.device.count() <= 0) {
      host += stretch.host;
      continue;
    }
    const Seconds start = std::max(device, host + latency);
    host += stretch.host;
    device = std::max(start + stretch.device, host + latency);
    result.device += stretch.device;
  }
  result.total = std::max(host, device);
  result.waiting = result.total - result.device;
  return result;
}

}  // namespace roofcast
