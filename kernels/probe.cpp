#include "kernels/probe.hpp"

#include <fmt/format.h>

namespace roofcast {

std::string_view to_string(Residency residency) {
  return residency == Residency::cold ? "cold" : "warm";
}

std::string name(const Probe& probe) {
  const std::string depth = is_product(probe) ? fmt::format("x{}", probe.k) : std::string{};
  return fmt::format("{} {} {}x{}{} {}", probe.op, probe.precision, probe.m, probe.n, depth,
                     to_string(probe.residency));
}

}  // namespace roofcast
