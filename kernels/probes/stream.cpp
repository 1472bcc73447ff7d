// Plain streams through memory: which bandwidth there is, at which size it is reached, and where caches end.

#include <array>
#include <cmath>

#include "kernels/probes/families.hpp"

namespace roofcast {
namespace {

struct StreamOp {
  const char* name = "";
  int reads = 0;  ///< values for each one of the vector's length
  int writes = 0;
  int operations = 0;
};

// copy: y = x; read: the sum of x; write: y = s; triad: y = x + s z.
constexpr std::array ops = {StreamOp{"stream_copy", 1, 1, 0}, StreamOp{"stream_read", 1, 0, 1},
                            StreamOp{"stream_write", 0, 1, 0}, StreamOp{"stream_triad", 2, 1, 2}};

Probe stream_probe(const StreamOp& op, std::string_view precision, std::int64_t values, Residency residency) {
  const double bytes = value_bytes(precision);
  const auto count = static_cast<double>(values);
  return {.op = op.name,
          .precision = std::string(precision),
          .m = 1,
          .n = values,
          .residency = residency,
          .group = op.name,
          .operations = Flops{op.operations * count},
          .read = Bytes{op.reads * count * bytes},
          .written = Bytes{op.writes * count * bytes}};
}

/// By m blocks only, so that few bytes are in flight: how bandwidth grows with them.
Probe inflight_probe(std::int64_t blocks) {
  constexpr std::int64_t values = std::int64_t{1} << 24;
  return {.op = "inflight_copy",
          .m = blocks,
          .n = values,
          .residency = Residency::cold,
          .group = "inflight_copy",
          .read = Bytes{4.0 * values},
          .written = Bytes{4.0 * values}};
}

/// Those that only devices have which name them.
std::vector<Probe> device_probes(Extent extent, const ProbeLimits& limits) {
  if (limits.supported.empty()) return {};
  std::vector<Probe> probes;
  if (!precisions_of("inflight_copy", limits).empty()) {
    const std::int64_t step = extent == Extent::quick ? 8 : 2;
    for (std::int64_t blocks = 1; blocks < 4 * limits.units; blocks *= step)
      probes.push_back(inflight_probe(blocks));
  }
  return probes;
}

}  // namespace

std::vector<Probe> stream_probes(Extent extent, const ProbeLimits& limits) {
  constexpr double least_octave = 10;  // 2^10 values, 4 KiB
  constexpr double most_octave = 30;   // 4 GiB
  const double step = extent == Extent::quick ? 4 : 0.5;
  std::vector<Probe> probes = device_probes(extent, limits);
  for (double octave = least_octave; octave <= most_octave; octave += step) {
    const std::int64_t values = std::llround(std::exp2(octave) / 16) * 16;  // whole cache lines
    for (const StreamOp& op : ops) {
      for (const std::string_view precision : precisions_of(op.name, limits)) {
        for (const Residency residency : {Residency::cold, Residency::warm}) {
          Probe probe = stream_probe(op, precision, values, residency);
          if (probe.read + probe.written <= limits.memory) probes.push_back(std::move(probe));
        }
      }
    }
  }
  return probes;
}

}  // namespace roofcast
