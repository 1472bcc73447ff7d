#pragma once
// Rows and columns that operators are measured over.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/probes/families.hpp"

namespace roofcast {

/// A probe `make(op, precision, m, n)` for each operator in each precision that the device has, each width n
/// and m from 16 to 65536 rows in steps of 4 times (16 and 4096 in a quick list), as far as it fits in
/// memory.
template <class Op, class Make>
std::vector<Probe> row_grid(std::span<const Op> ops, const std::vector<std::int64_t>& widths, Extent extent,
                            const ProbeLimits& limits, const Make& make) {
  const std::int64_t step = extent == Extent::quick ? 256 : 4;
  std::vector<Probe> probes;
  for (const Op& op : ops) {
    for (const std::string_view precision : precisions_of(op.name, limits)) {
      for (const std::int64_t n : widths) {
        for (std::int64_t m = 16; m <= 65536; m *= step) {
          Probe probe = make(op, precision, m, n);
          if (probe.read + probe.written <= limits.memory) probes.push_back(std::move(probe));
        }
      }
    }
  }
  return probes;
}

}  // namespace roofcast
