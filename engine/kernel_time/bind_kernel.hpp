#pragma once
// Kernels with known sizes.

#include "engine/base/kernel_form.hpp"
#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// A kernel of a program, or of a compiled one, whose sizes are what `value` says of them.
template <class ProgramKernel, class Value>
BoundKernel bind_kernel(const ProgramKernel& kernel, const Value& value) {
  const auto number = [&](const auto& size) { return static_cast<double>(value(size)); };
  BoundKernel sized{.form = map_dimensions<std::int64_t>(kernel.form, value),
                    .arithmetic = kernel.arithmetic,
                    .macs = number(kernel.macs),
                    .recomputed_macs = number(kernel.recomputed_macs),
                    .operations = number(kernel.operations),
                    .read = Bytes{number(kernel.bytes_read)},
                    .written = Bytes{number(kernel.bytes_written)}};
  for (std::size_t i = 0; i < kernel.reused.size(); ++i)
    sized.reused[i] = {number(kernel.reused[i].bytes), number(kernel.reused[i].distance)};
  return sized;
}

}  // namespace roofcast
