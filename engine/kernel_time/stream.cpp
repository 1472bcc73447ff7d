#include "engine/kernel_time/stream.hpp"

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

double fourth_power(double value) {
  return value * value * value * value;
}

// Partly at the same time: (a^p + b^p)^(1/p) with p = 1.5.
Seconds joined(Seconds left, Seconds right) {
  constexpr double p = 1.5;
  return Seconds{std::pow(std::pow(left.count(), p) + std::pow(right.count(), p), 1 / p)};
}

double further_reads(const StreamWork& work, const StreamParameters& fitted) {
  const auto row = static_cast<double>(work.form.row);
  if (row <= fitted.short_row || work.form.row == 0) return 0;
  const double row_bytes =
      row * work.read.value / static_cast<double>(std::max<std::int64_t>(work.form.elements, 1));
  const double grown = 1 / (1 + fourth_power(fitted.long_row_kib * 1024 / row_bytes));
  return fitted.further_reads + (fitted.long_row_reads - fitted.further_reads) * grown;
}

}  // namespace

StreamTime stream_time(const StreamWork& work, const Machine& machine, const StreamParameters& fitted,
                       const CacheParameters& cache) {
  StreamTime time{.launch = microseconds(fitted.launch_us), .further_reads = further_reads(work, fitted)};
  const Bytes moved = work.read * (1 + time.further_reads) + work.written;
  const Bytes footprint = work.read + work.written;
  time.resident = 1 / (1 + fourth_power(footprint / (cache.resident_share * machine.l2)));
  const Bytes from_cache =
      work.cached * work.read + time.resident * (work.written + time.further_reads * work.read);
  const BytesPerSecond memory = machine.bandwidth * fitted.bandwidth_share;
  const BytesPerSecond l2{
      std::max(memory.value, cache.l2_bytes_per_clock * machine.sms * machine.clock.value)};
  time.memory = (moved - from_cache) / memory + from_cache / l2;
  if (work.form.row > 0) {
    const auto rows = static_cast<double>(work.form.elements) / static_cast<double>(work.form.row);
    const Seconds reductions = microseconds(fitted.row_us) * (rows / machine.sms);
    time.memory = joined(time.memory, reductions);
  }
  time.compute = Flops{work.operations} / (machine.vector * fitted.operations_share);
  time.total = time.launch + std::max(time.compute, time.memory);
  return time;
}

}  // namespace roofcast
