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

namespace {

std::string sizes_text(const Probe& probe) {
  if (const auto& sizes = probe.attention) {
    return fmt::format("b{} q{} kv{} h{}/{} d{}", sizes->batch, sizes->query_length, sizes->key_length,
                       sizes->heads, sizes->kv_heads, sizes->head_size);
  }
  if (const auto& sizes = probe.convolution) {
    return fmt::format("{}x{}x{} to {} k{}s{}p{}", sizes->batch, sizes->in_channels, sizes->in_size,
                       sizes->out_channels, sizes->kernel, sizes->stride, sizes->padding);
  }
  if (const auto& sizes = probe.collective)
    return fmt::format("{} bytes on {}", sizes->bytes, sizes->devices);
  if (is_product(probe)) return fmt::format("{}x{}x{}", probe.m, probe.n, probe.k);
  return fmt::format("{}x{}", probe.m, probe.n);
}

}  // namespace

std::string name(const Probe& probe) {
  return fmt::format("{} {} {} {}{}", probe.op, probe.precision, sizes_text(probe),
                     to_string(probe.residency), probe.load == Load::sustained ? " sustained" : "");
}

}  // namespace roofcast
