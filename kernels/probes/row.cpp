// Operators that need a whole row before they can write any of it: softmax and layer norm.

#include <fmt/format.h>

#include <array>

#include "kernels/probes/grid.hpp"

namespace roofcast {
namespace {

struct RowOp {
  const char* name = "";
  int operations = 0;  ///< for each value, as engine/ops counts them
  int learned = 0;     ///< values for each column
};

constexpr std::array ops = {RowOp{"softmax", 14}, RowOp{"layernorm", 8, 2}};

Probe row_probe(const RowOp& op, std::string_view precision, std::int64_t m, std::int64_t n) {
  const double bytes = value_bytes(precision);
  const double values = static_cast<double>(m) * static_cast<double>(n);
  return {.op = op.name,
          .precision = std::string(precision),
          .m = m,
          .n = n,
          .residency = Residency::cold,
          .group = fmt::format("{}:n{}", op.name, n),
          .operations = Flops{op.operations * values},
          .read = Bytes{(values + op.learned * static_cast<double>(n)) * bytes},
          .written = Bytes{values * bytes}};
}

}  // namespace

std::vector<Probe> row_probes(Extent extent, const ProbeLimits& limits) {
  // So many that a fit can hold some of them out, in a quick list too.
  const std::vector<std::int64_t> widths = {64, 128, 256, 768, 1024, 4096, 16384, 50257};
  return row_grid(std::span<const RowOp>(ops), widths, extent, limits, row_probe);
}

}  // namespace roofcast
