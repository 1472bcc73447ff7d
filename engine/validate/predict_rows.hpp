#pragma once
// All rows of all tables, predicted.

#include "engine/validate/predict_networks.hpp"

namespace roofcast {

struct PredictRowsOptions {
  bool baseline = false;  ///< also what `roofline` says
  RowsDone done{};
};

/// One outcome for each row, in their order.
std::vector<Outcome> predict_rows(std::span<const MeasuredRow> rows, const MeasuredPlatforms& platforms,
                                  const OpenMeasuredModel& open, const PredictRowsOptions& options = {});

}  // namespace roofcast
