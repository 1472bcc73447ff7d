#pragma once
// The time of kernels that follow their bytes: elementwise, normalisation, softmax, reductions, copies.

#include "engine/base/kernel_form.hpp"
#include "engine/hardware/kernel_parameters.hpp"
#include "engine/kernel_time/machine.hpp"

namespace roofcast {

struct StreamWork {
  Stream<std::int64_t> form{};
  double operations = 0;
  Bytes read{};
  Bytes written{};
  double cached = 0;  ///< share of `read` that is in the L2 cache already, in [0, 1]
};

/// `total` = launch + max(compute, memory).
struct StreamTime {
  Seconds total{};
  Seconds launch{};
  Seconds compute{};
  Seconds memory{};
  double further_reads = 0;  ///< of the input, beyond the first
  double resident = 0;       ///< share of what it writes and reads again that stays in the L2 cache
};

/// With what goes to memory, D, and what the L2 cache serves, C:
///
///     t_memory = D / (e W) + C / W_L2
///     C = cached read + w (written + further reads),   w = 1 / (1 + ((read + written) / (c L2))^4)
///
/// A row that is reduced is read again when it does not stay in
/// registers: `further_reads` times, growing to `long_row_reads` for rows that leave the cache between reads:
///
///     further(r) = 0 for r <= short_row, else f + (l - f) / (1 + (long_row / bytes of a row)^4)
///
/// The reductions of r rows take t_row r / SMs, and join with it as (a^1.5 + b^1.5)^(1/1.5).
///
/// Measured elementwise kernels follow launch + B / (e W) within 2% (hardware_db/priors).
StreamTime stream_time(const StreamWork& work, const Machine& machine, const StreamParameters& parameters,
                       const CacheParameters& cache);

}  // namespace roofcast
