#include "kernels/probe_list.hpp"

#include <algorithm>

#include "kernels/probes/families.hpp"
#include "kernels/random.hpp"

namespace roofcast {

const std::vector<ProbeFamily>& probe_families() {
  static const std::vector<ProbeFamily> families = {
      {"streams", stream_probes},
      {"transfers", transfer_probes},
      {"products", product_probes},
      {"convolutions", convolution_probes},
      {"attention", attention_probes},
      {"elementwise", elementwise_probes},
      {"rows", row_probes},
      {"optimizers", optimizer_probes},
      {"rates", rate_probes},
      {"latencies", latency_probes},
      {"collectives", collective_probes},
  };
  return families;
}

std::vector<std::string_view> precisions_of(std::string_view op, const ProbeLimits& limits) {
  if (limits.supported.empty()) return {"fp32"};
  std::vector<std::string_view> precisions;
  for (const SupportedOp& each : limits.supported) {
    if (each.op == op) precisions.push_back(each.precision);
  }
  return precisions;
}

std::vector<Probe> probe_list(Extent extent, const ProbeLimits& limits) {
  std::vector<Probe> all;
  for (const ProbeFamily& family : probe_families()) {
    for (Probe& probe : family.probes(extent, limits)) {
      if (probe.read + probe.written > limits.memory || probe.operations > limits.operations) continue;
      all.push_back(std::move(probe));
    }
  }
  // Fisher and Yates, with a generator that is the same everywhere.
  constexpr std::uint64_t seed = 1;
  for (std::size_t left = all.size(); left > 1; --left) {
    std::swap(all[left - 1], all[random_bits(seed, left) % left]);
  }
  return all;
}

}  // namespace roofcast
