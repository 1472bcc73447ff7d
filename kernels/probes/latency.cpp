// Latency of reads by the size of what is read, bandwidth of the cache that all units share, and what
// launching costs. Only devices that name these operators have them.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/probes/families.hpp"

namespace roofcast {
namespace {

constexpr double value_size = 4;

/// `reads` reads, each of which waits for the one before, in a memory of `values`. A read is of a whole line.
Probe chase_probe(std::int64_t reads, std::int64_t values) {
  constexpr double line_bytes = 128;
  return {.op = "latency_read",
          .m = reads,
          .n = values,
          .residency = Residency::warm,
          .group = "latency_read",
          .read = Bytes{line_bytes * static_cast<double>(reads)}};
}

/// `values` read so many times, as often as makes 256 MiB.
Probe cache_probe(std::int64_t values) {
  constexpr std::int64_t in_all = std::int64_t{1} << 26;
  const std::int64_t rounds = std::max<std::int64_t>(1, in_all / values);
  const double count = static_cast<double>(rounds) * static_cast<double>(values);
  return {.op = "cache_read",
          .m = rounds,
          .n = values,
          .residency = Residency::warm,
          .group = "cache_read",
          .operations = Flops{count},
          .read = Bytes{value_size * count}};
}

/// An empty kernel: a node of a graph, one launch after the other, or one launch and all that the host does
/// for it.
Probe launch_probe(const char* op, std::int64_t blocks, std::int64_t threads) {
  return {.op = op,
          .m = blocks,
          .n = threads,
          .residency = Residency::warm,
          .group = op,
          .written = Bytes{value_size}};
}

}  // namespace

std::vector<Probe> latency_probes(Extent extent, const ProbeLimits& limits) {
  if (limits.supported.empty()) return {};
  const int step = extent == Extent::quick ? 4 : 1;
  std::vector<Probe> probes;
  if (!precisions_of("latency_read", limits).empty()) {
    constexpr std::int64_t reads = 2048;
    for (int octave = 10; octave <= 28; octave += step)
      probes.push_back(chase_probe(reads, std::int64_t{1} << octave));  // 4 KiB to 1 GiB
  }
  if (!precisions_of("cache_read", limits).empty()) {
    for (int octave = 16; octave <= 26; octave += std::min(step, 2))
      probes.push_back(cache_probe(std::int64_t{1} << octave));  // 256 KiB to 256 MiB
  }
  for (const char* op : {"launch_graph", "launch_stream", "launch_host"}) {
    if (precisions_of(op, limits).empty()) continue;
    for (const std::int64_t blocks :
         {std::int64_t{1}, std::int64_t{limits.units}, std::int64_t{16} * limits.units})
      probes.push_back(launch_probe(op, blocks, 256));
  }
  return probes;
}

}  // namespace roofcast
