#pragma once
// How far predictions are from measurements, in three numbers.

#include <span>

namespace roofcast {

/// |predicted / measured - 1|, and its median with its sign.
struct FitErrors {
  double median = 0;
  double p90 = 0;
  double bias = 0;
};

/// Of errors ln(measured / predicted); zeros if there are none.
FitErrors fit_errors(std::span<const double> logarithms);

}  // namespace roofcast
