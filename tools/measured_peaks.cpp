#include "tools/measured_peaks.hpp"

#include <map>

#include "engine/io/measured_table.hpp"

namespace roofcast {

Result<MeasuredPeaks> measured_peaks(const std::filesystem::path& samples, std::span<const Probe> probes) {
  const auto folder = read_measured_folder(samples);
  if (!folder) return tl::make_unexpected(folder.error());
  std::map<std::string, const Probe*> by_name;
  for (const Probe& probe : probes) by_name.emplace(name(probe), &probe);

  MeasuredPeaks peaks;
  for (const MeasuredTable& table : folder->tables) {
    for (const MeasuredRow& row : table.rows) {
      const auto* op = std::get_if<OperatorRow>(&row.what);
      if (op == nullptr || row.runtime != "calibrate-cold") continue;
      const bool product = table.kind == TableKind::products;
      const auto found = by_name.find(
          name({.op = op->op, .precision = op->precision, .m = op->m, .n = op->n, .k = product ? op->k : 0}));
      if (found == by_name.end()) continue;
      const Probe& probe = *found->second;
      const FlopsPerSecond rate{probe.operations.value / row.measured.count()};
      const BytesPerSecond bandwidth{(probe.read + probe.written).value / row.measured.count()};
      if (product && rate > peaks.product) {
        peaks.product = rate;
        peaks.product_probe = found->first;
      }
      if (probe.op.starts_with("stream_") && bandwidth > peaks.stream) {
        peaks.stream = bandwidth;
        peaks.stream_probe = found->first;
      }
    }
  }
  return peaks;
}

}  // namespace roofcast
