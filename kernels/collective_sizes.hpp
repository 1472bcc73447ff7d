#pragma once
// What collective operations are measured over.

#include <cstdint>

namespace roofcast {

/// Counted as nccl-tests does: `bytes` of the larger one of a device's two buffers. All-reduce has as many in
/// both, all-gather one part of them for each device in its input, reduce-scatter in its result; all-to-all
/// exchanges one part with each device; send-receive hands all of them on to the next device.
struct CollectiveSizes {
  std::int64_t bytes = 0;
  std::int64_t devices = 2;
};

}  // namespace roofcast
