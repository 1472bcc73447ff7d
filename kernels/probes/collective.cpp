// Collective operations among the devices of one machine.

#include <array>
#include <set>

#include "kernels/probes/families.hpp"

namespace roofcast {
namespace {

struct CollectiveOp {
  const char* name = "";
  bool parts_in = false;   ///< its input is a part of `bytes` for each device
  bool parts_out = false;  ///< its result is
};

constexpr std::array ops = {CollectiveOp{"all_reduce"}, CollectiveOp{"all_gather", true},
                            CollectiveOp{"reduce_scatter", false, true}, CollectiveOp{"alltoall"},
                            CollectiveOp{"send_recv"}};

Probe collective_probe(const CollectiveOp& op, std::string_view precision, CollectiveSizes sizes) {
  const auto bytes = static_cast<double>(sizes.bytes);
  const auto devices = static_cast<double>(sizes.devices);
  return {.op = op.name,
          .precision = std::string(precision),
          .collective = sizes,
          .residency = Residency::warm,
          .group = std::string(op.name) + ":g" + std::to_string(sizes.devices),
          .read = Bytes{op.parts_in ? bytes / devices : bytes},
          .written = Bytes{op.parts_out ? bytes / devices : bytes}};
}

/// Two, four, eight and so on, and all.
std::set<std::int64_t> device_counts(Extent extent, std::int64_t devices) {
  std::set<std::int64_t> counts;
  for (std::int64_t count = 2; count <= devices; count *= 2) counts.insert(count);
  if (extent == Extent::quick && !counts.empty()) counts = {2};
  if (devices > 1) counts.insert(devices);
  return counts;
}

}  // namespace

std::vector<Probe> collective_probes(Extent extent, const ProbeLimits& limits) {
  const std::int64_t step = extent == Extent::quick ? 16 : 2;
  std::vector<Probe> probes;
  for (const CollectiveOp& op : ops) {
    for (const std::string_view precision : precisions_of(op.name, limits)) {
      for (const std::int64_t devices : device_counts(extent, limits.devices)) {
        for (std::int64_t bytes = 256; bytes <= 1 << 28; bytes *= step)  // to 256 MiB
          probes.push_back(collective_probe(op, precision, {.bytes = bytes, .devices = devices}));
      }
      if (extent == Extent::quick) break;
    }
  }
  return probes;
}

}  // namespace roofcast
