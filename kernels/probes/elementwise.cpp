// Operators that compute each value by itself.

#include <fmt/format.h>

#include <array>

#include "kernels/probes/grid.hpp"

namespace roofcast {
namespace {

struct ElementwiseOp {
  const char* name = "";
  int reads = 1;
  int operations = 1;  ///< for each value, as engine/ops counts them
};

constexpr std::array ops = {ElementwiseOp{"add_tensor", 2}, ElementwiseOp{"relu"},
                            ElementwiseOp{"gelu", 1, 14}};

Probe elementwise_probe(const ElementwiseOp& op, std::string_view precision, std::int64_t m, std::int64_t n) {
  const double bytes = value_bytes(precision);
  const double values = static_cast<double>(m) * static_cast<double>(n);
  return {.op = op.name,
          .precision = std::string(precision),
          .m = m,
          .n = n,
          .residency = Residency::cold,
          .group = fmt::format("{}:n{}", op.name, n),
          .operations = Flops{op.operations * values},
          .read = Bytes{op.reads * values * bytes},
          .written = Bytes{values * bytes}};
}

}  // namespace

std::vector<Probe> elementwise_probes(Extent extent, const ProbeLimits& limits) {
  const std::vector<std::int64_t> widths = extent == Extent::quick
                                               ? std::vector<std::int64_t>{512, 1024, 4096}
                                               : std::vector<std::int64_t>{768, 1024, 3072, 4096};
  return row_grid(std::span<const ElementwiseOp>(ops), widths, extent, limits, elementwise_probe);
}

}  // namespace roofcast
