#include "engine/decide/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace roofcast {
namespace {

std::optional<std::size_t> best_of(const std::vector<AnswerRow>& rows, bool quantized, double memory_to_use) {
  constexpr double good_enough = 0.95;
  const auto takes_part = [&](const AnswerRow& row) {
    return row.quantized == quantized && row.latency && row.memory.fits == Fit::yes &&
           row.memory.needed <= row.memory.usable * memory_to_use;
  };
  double best = 0;
  for (const AnswerRow& row : rows) {
    if (takes_part(row)) best = std::max(best, *row.throughput);
  }
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!takes_part(rows[i]) || *rows[i].throughput < good_enough * best) continue;
    const auto rank = [&](std::size_t row) { return std::tuple{rows[row].batch, -*rows[row].throughput}; };
    if (!chosen || rank(i) < rank(*chosen)) chosen = i;
  }
  return chosen;
}

// 3 significant digits, thousands separated: 1234 is 1,230.
std::string number(double value) {
  constexpr double largest_plain = 999.5;
  if (value < largest_plain) return fmt::format("{:.3g}", value);
  double unit = 1;
  while (value / unit >= largest_plain) unit *= 10;
  std::string digits = fmt::format("{:.0f}", std::round(value / unit) * unit);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

}  // namespace

std::optional<std::size_t> recommended_row(const std::vector<AnswerRow>& rows) {
  constexpr double with_room = 0.9;
  for (const bool quantized : {false, true}) {
    for (const double memory_to_use : {with_room, 1.0}) {
      if (const auto row = best_of(rows, quantized, memory_to_use)) return row;
    }
  }
  return std::nullopt;
}

std::string verdict(const AnswerGroup& group) {
  const std::string card = fmt::format("{} ({})", group.hw_name, group.hw);
  if (group.rows.empty()) return fmt::format("{} on {}: nothing to report.", group.model, card);
  if (!group.recommended) {
    const AnswerRow& row = *std::ranges::min_element(
        group.rows, {}, [](const AnswerRow& candidate) { return candidate.memory.needed.value; });
    const bool tight = row.latency.has_value();
    return fmt::format("{} on {}, {}: {} even at {}, batch {}, which needs {:.1f} of {:.1f} GiB.",
                       group.model, card, row.task == Task::training ? "training" : "inference",
                       tight ? "fits only just if at all," : "does not fit,", row.precision, row.batch,
                       as_gibibytes(row.memory.needed), as_gibibytes(row.memory.usable));
  }
  const AnswerRow& row = group.rows[*group.recommended];
  const double batch = static_cast<double>(row.batch);
  std::string text = fmt::format(
      "{} on {}, {} in {}, batch {}: fits ({:.1f} of {:.1f} GiB), about {} samples/s ({} to {}), {} ms a "
      "{}, "
      "limited by {} ({:.0f}% of the time)",
      group.model, card, row.task == Task::training ? "training" : "inference", row.precision, row.batch,
      as_gibibytes(row.memory.needed), as_gibibytes(row.memory.usable), number(*row.throughput),
      number(batch / row.latency->p90.count()), number(batch / row.latency->p10.count()),
      number(as_milliseconds(row.latency->p50)), row.task == Task::training ? "step" : "batch",
      to_string(*row.bound), 100.0 * row.bound_share);
  if (row.usd_per_million_samples) {
    const std::string date = row.price->as_of.empty() ? std::string{} : fmt::format(", {}", row.price->as_of);
    text += fmt::format(", ${:.3g} per million samples at ${:.2f} per GPU-hour ({}{})",
                        *row.usd_per_million_samples, row.price->per_gpu.value, row.price->cloud, date);
  }
  return text + ".";
}

}  // namespace roofcast
