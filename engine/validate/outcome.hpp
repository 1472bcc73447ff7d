#pragma once
// What became of a measured row: a predicted time, or why there is none.

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "engine/base/evidence.hpp"

namespace roofcast {

/// Why a row has no prediction. `reason` groups rows ("runtime:tensorrt"), `detail` is for who wants to
/// repair one.
struct Unpredicted {
  std::string reason{};
  std::string detail{};
};

template <class T>
using Predicted = tl::expected<T, Unpredicted>;

inline tl::unexpected<Unpredicted> no_prediction(std::string reason, std::string detail = {}) {
  return tl::make_unexpected(Unpredicted{std::move(reason), std::move(detail)});
}

struct KernelPrediction {
  TimeRange time{};
};

/// The prediction of one row, and what the baseline says.
struct Outcome {
  Predicted<TimeRange> time = no_prediction("not_tried");
  std::optional<Seconds> baseline{};
};

}  // namespace roofcast
