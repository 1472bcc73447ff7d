#pragma once
// How solid a number is, and what limits a kernel.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/units.hpp"

namespace roofcast {

/// Where a prediction's parameters come from, from the strongest to the weakest.
enum class Evidence : std::uint8_t { measured, calibrated, interpolated, extrapolated, data_sheet, assumed };

std::string_view to_string(Evidence evidence);  // "data sheet", ...

/// What takes the time. Kernels are never bound by `input`: that is the copy of a step's inputs, or a
/// pipeline that cannot deliver them faster.
enum class Bound : std::uint8_t { compute, memory, launch, input };
inline constexpr std::size_t bounds = 4;

std::string_view to_string(Bound bound);

/// A median with the range that holds 80% of outcomes.
struct TimeRange {
  Seconds p10{};
  Seconds p50{};
  Seconds p90{};
};

}  // namespace roofcast
