#include "engine/hardware/device.hpp"

#include <algorithm>

namespace roofcast {
namespace {

bool is_vector(Arithmetic arithmetic) {
  return arithmetic <= Arithmetic::vector_int8;
}

}  // namespace

std::optional<FlopsPerSecond> Device::peak(Arithmetic arithmetic) const {
  const auto& rate = operations_per_clock_per_sm[static_cast<std::size_t>(arithmetic)];
  if (!rate) return std::nullopt;
  const Hertz clock = is_vector(arithmetic) ? boost_clock : tensor_clock;
  return FlopsPerSecond{*rate * sm_count * clock.value};
}

std::optional<FlopsPerSecond> Device::matrix_peak(Arithmetic arithmetic) const {
  if (const auto direct = peak(arithmetic)) return direct;
  switch (arithmetic) {
    case Arithmetic::tensor_fp64: return peak(Arithmetic::vector_fp64);
    case Arithmetic::tensor_int8: return peak(Arithmetic::vector_int8);
    case Arithmetic::tensor_fp16: {
      // Without Tensor Cores a library multiplies in packed fp16 or, where that path is crippled, in fp32.
      const auto packed = peak(Arithmetic::vector_fp16);
      if (!packed) return std::nullopt;
      return std::max(*packed, peak(Arithmetic::vector_fp32).value_or(FlopsPerSecond{}));
    }
    default: return std::nullopt;
  }
}

bool Device::supports(const PrecisionPolicy& policy) const {
  // What surrounds the quantised products, attention for one, runs in the storage type.
  const auto stored = matrix_peak(matrix_arithmetic({.storage = policy.storage}, policy.storage, false));
  return stored && matrix_peak(matrix_arithmetic(policy, policy.compute, false)).has_value();
}

}  // namespace roofcast
