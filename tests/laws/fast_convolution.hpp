#pragma once
// How few multiplications a convolution can take.

#include <algorithm>

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// The multiplications of the most thrifty algorithm as a share of those by definition. Winograd's F(4x4,
/// 3x3) takes a quarter; an FFT of 32 x 32 takes 32 * 17 complex products for (33 - R) (33 - S) results,
/// instead of R S real ones each. Both only on vector units, with stride 1.
inline double least_multiplied(const BoundKernel& kernel, const Machine& machine) {
  const auto* form = std::get_if<Convolution<std::int64_t>>(&kernel.form);
  if (form == nullptr || matrix_unit(kernel.arithmetic, machine) != MatrixUnit::vector) return 1;
  if (form->stride != std::array<std::int64_t, 3>{1, 1, 1} || form->kernel[0] != 1) return 1;
  if (form->kernel[1] == 3 && form->kernel[2] == 3) return 0.25;
  const auto rows = static_cast<double>(form->kernel[1]);
  const auto columns = static_cast<double>(form->kernel[2]);
  if (std::max(rows, columns) >= 32) return 1;
  return std::min(1.0, 4 * 32 * 17 / ((33 - rows) * (33 - columns) * rows * columns));
}

}  // namespace roofcast
