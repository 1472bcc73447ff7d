#pragma once
// What a sample is for.

#include <cstdint>

namespace roofcast {

enum class Fold : std::uint8_t {
  fit,        ///< parameters and residuals
  calibrate,  ///< whether a residual is worth having, and how wide ranges are
  judge       ///< neither: only looked at to say how good a fit is
};

}  // namespace roofcast
