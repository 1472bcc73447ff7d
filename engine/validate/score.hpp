#pragma once
// How far predictions are from measurements, for groups of rows.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/validate/measured_row.hpp"
#include "engine/validate/outcome.hpp"
#include "engine/validate/split.hpp"

namespace roofcast {

/// What rows can be grouped by.
enum class ScoreAxis : std::uint8_t { device, kernel, precision, task, model, source, runtime, scope, seen };
inline constexpr std::array<std::string_view, 9> score_axes = {
    "device", "kernel", "precision", "task", "model", "source", "runtime", "scope", "seen"};

constexpr std::string_view to_string(ScoreAxis axis) {
  return score_axes[static_cast<std::size_t>(axis)];
}
std::optional<ScoreAxis> parse_score_axis(std::string_view name);

/// The row's place on an axis; empty where it has none, such as an operator's model. A device that nobody
/// knows is called as its table spells it.
std::string axis_value(ScoreAxis axis, const MeasuredRow& row, std::span<const FittedOn> provenance);

/// Errors of several predictions of the same rows.
struct Errors {
  double median = 0;             ///< of |predicted / measured - 1|, a row without prediction counting as 1
  double mean = 0;               ///< the same
  double p90 = 0;                ///< the same: nine of ten rows are at most so far off
  std::optional<double> bias{};  ///< median of predicted / measured - 1 of predicted rows; > 0: too slow
};

struct Score {
  std::int64_t rows = 0;
  std::map<std::string, std::int64_t> unpredicted{};  ///< by reason
  Errors errors{};
  std::optional<double> inside_range{};  ///< share of predicted rows whose time is in [p10, p90]
  std::optional<double> half_width{};    ///< median of (p90 - p10) / (2 p50) of predicted rows
  std::optional<Errors> baseline{};      ///< of the same rows, if there is one

  std::int64_t unpredicted_rows() const;
};

struct ScoredGroup {
  std::vector<std::string> key{};  ///< as many as there are axes
  Score score{};
};

struct Scores {
  std::vector<ScoreAxis> axes{};
  std::vector<ScoredGroup> groups{};  ///< sorted by key
  Score total{};
};

/// `outcomes` has one entry for each row. Percentiles interpolate linearly between the two nearest rows.
Scores score(std::span<const MeasuredRow> rows, std::span<const Outcome> outcomes,
             const std::vector<ScoreAxis>& axes, std::span<const FittedOn> provenance = {});

/// predicted / measured - 1; nothing without a prediction.
std::optional<double> relative_error(const MeasuredRow& row, const Outcome& outcome);

/// Whether the measured time is in [p10, p90]; false without a prediction.
bool is_inside(const MeasuredRow& row, const Outcome& outcome);

}  // namespace roofcast
