#include "engine/kernel_time/executed.hpp"

namespace roofcast {

double executed_macs(const BoundKernel& kernel) {
  const double all = kernel.macs + kernel.recomputed_macs;
  const auto* attention = std::get_if<Attention<std::int64_t>>(&kernel.form);
  const bool square =
      attention != nullptr && attention->causal && attention->query_length == attention->key_length;
  if (!square) return all;
  constexpr std::int64_t tile = 128;
  const auto tiles = static_cast<double>((attention->query_length + tile - 1) / tile);
  return all * (tiles + 1.0) / (2.0 * tiles);
}

}  // namespace roofcast
