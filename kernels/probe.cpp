#include "kernels/probe.hpp"

#include <fmt/format.h>

namespace roofcast {

std::string_view to_string(Residency residency) {
  return residency == Residency::cold ? "cold" : "warm";
}

double value_bytes(std::string_view precision) {
  if (precision == "fp16" || precision == "bf16") return 2;
  if (precision == "int8" || precision == "fp8") return 1;
  return 4;
}

double product_bytes(std::string_view precision) {
  if (precision == "int8") return 4;
  return precision == "fp8" ? 2 : value_bytes(precision);
}

std::string name(const Probe& probe) {
  const std::string depth = is_product(probe) ? fmt::format("x{}", probe.k) : std::string{};
  return fmt::format("{} {} {}x{}{} {}", probe.op, probe.precision, probe.m, probe.n, depth,
                     to_string(probe.residency));
}

}  // namespace roofcast
