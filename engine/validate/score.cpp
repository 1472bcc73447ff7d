#include "engine/validate/score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace roofcast {
namespace {

/// The value below which `share` of the sorted values lie, interpolated linearly: position share * (n - 1).
double quantile(std::vector<double>& values, double share) {
  std::ranges::sort(values);
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double part = position - static_cast<double>(below);
  return values[below] + part * (values[above] - values[below]);
}

std::optional<double> median(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return quantile(values, 0.5);
}

Errors errors_of(std::vector<double> signed_errors, std::size_t rows) {
  std::vector<double> sizes(rows, 1.0);  // a row without prediction is wrong by all of it
  for (std::size_t i = 0; i < signed_errors.size(); ++i) sizes[i] = std::abs(signed_errors[i]);
  return {.median = quantile(sizes, 0.5),
          .mean = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(rows),
          .p90 = quantile(sizes, 0.9),
          .bias = median(signed_errors)};
}

/// What is collected of a group's rows before it is condensed.
struct Collected {
  Score score{};
  std::vector<double> errors{};
  std::vector<double> widths{};
  std::vector<double> baseline_errors{};
  std::int64_t inside = 0;
  bool has_baseline = false;

  void add(const MeasuredRow& row, const Outcome& outcome) {
    ++score.rows;
    if (outcome.baseline) {
      has_baseline = true;
      baseline_errors.push_back(*outcome.baseline / row.measured - 1);
    }
    if (!outcome.time) {
      ++score.unpredicted[outcome.time.error().reason];
      return;
    }
    const TimeRange& time = *outcome.time;
    errors.push_back(time.p50 / row.measured - 1);
    widths.push_back((time.p90 - time.p10) / (2 * time.p50));
    inside += is_inside(row, outcome) ? 1 : 0;
  }

  Score condensed() && {
    if (score.rows == 0) return score;
    const auto rows = static_cast<std::size_t>(score.rows);
    if (!errors.empty())
      score.inside_range = static_cast<double>(inside) / static_cast<double>(errors.size());
    score.half_width = median(widths);
    if (has_baseline) score.baseline = errors_of(std::move(baseline_errors), rows);
    score.errors = errors_of(std::move(errors), rows);
    return std::move(score);
  }
};

}  // namespace

std::optional<ScoreAxis> parse_score_axis(std::string_view name) {
  const auto found = std::ranges::find(score_axes, name);
  if (found == score_axes.end()) return std::nullopt;
  return static_cast<ScoreAxis>(found - score_axes.begin());
}

std::string axis_value(ScoreAxis axis, const MeasuredRow& row, std::span<const FittedOn> provenance) {
  switch (axis) {
    case ScoreAxis::device: return row.device.empty() ? row.hardware : row.device;
    case ScoreAxis::kernel: return std::string(kernel_kind(row));
    case ScoreAxis::precision: return precision_name(row);
    case ScoreAxis::task: return std::string(task_name(row));
    case ScoreAxis::model: return std::string(model_name(row));
    case ScoreAxis::source: return row.source;
    case ScoreAxis::runtime: return row.runtime;
    case ScoreAxis::scope: return std::string(scope_name(row));
    case ScoreAxis::seen: return took_part(row, provenance) ? "seen" : "unseen";
  }
  return {};
}

std::optional<double> relative_error(const MeasuredRow& row, const Outcome& outcome) {
  if (!outcome.time) return std::nullopt;
  return outcome.time->p50 / row.measured - 1;
}

bool is_inside(const MeasuredRow& row, const Outcome& outcome) {
  return outcome.time && outcome.time->p10 <= row.measured && row.measured <= outcome.time->p90;
}

std::int64_t Score::unpredicted_rows() const {
  std::int64_t count = 0;
  for (const auto& [reason, rows_of_reason] : unpredicted) count += rows_of_reason;
  return count;
}

Scores score(std::span<const MeasuredRow> rows, std::span<const Outcome> outcomes,
             const std::vector<ScoreAxis>& axes, std::span<const FittedOn> provenance) {
  std::map<std::vector<std::string>, Collected> groups;
  Collected total;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    total.add(rows[i], outcomes[i]);
    if (axes.empty()) continue;
    std::vector<std::string> key;
    for (const ScoreAxis axis : axes) key.push_back(axis_value(axis, rows[i], provenance));
    groups[std::move(key)].add(rows[i], outcomes[i]);
  }
  Scores scores{.axes = axes, .total = std::move(total).condensed()};
  for (auto& [key, collected] : groups) scores.groups.push_back({key, std::move(collected).condensed()});
  return scores;
}

}  // namespace roofcast
