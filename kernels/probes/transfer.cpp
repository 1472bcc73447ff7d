// Copies between a device's memory and the host's, pinned or pageable, one way and both ways at once. Only
// devices that name these operators have them.

#include <array>

#include "kernels/probes/families.hpp"

namespace roofcast {
namespace {

struct TransferOp {
  const char* name = "";
  int ways = 1;
};

constexpr std::array ops = {TransferOp{"transfer_to_device"}, TransferOp{"transfer_to_host"},
                            TransferOp{"transfer_to_device_pageable"},
                            TransferOp{"transfer_to_host_pageable"}, TransferOp{"transfer_both_ways", 2}};

/// `values` fp32 numbers in each direction, every one of them read on one side and written on the other.
Probe transfer_probe(const TransferOp& op, std::int64_t values) {
  const double bytes = op.ways * 4 * static_cast<double>(values);
  return {.op = op.name,
          .m = 1,
          .n = values,
          .residency = Residency::warm,
          .group = op.name,
          .read = Bytes{bytes},
          .written = Bytes{bytes}};
}

}  // namespace

std::vector<Probe> transfer_probes(Extent extent, const ProbeLimits& limits) {
  if (limits.supported.empty()) return {};
  const std::int64_t step = extent == Extent::quick ? 256 : 4;
  std::vector<Probe> probes;
  for (const TransferOp& op : ops) {
    if (precisions_of(op.name, limits).empty()) continue;
    for (std::int64_t values = 1 << 10; values <= 1 << 26; values *= step)  // 4 KiB to 256 MiB
      probes.push_back(transfer_probe(op, values));
  }
  return probes;
}

}  // namespace roofcast
