#pragma once
// A kernel in the words of its family's model.

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

inline GemmWork work_of(const Gemm<std::int64_t>& form, const BoundKernel& kernel, double cached) {
  return {.batch = static_cast<double>(form.batch),
          .m = static_cast<double>(form.m),
          .n = static_cast<double>(form.n),
          .k = static_cast<double>(form.k),
          .arithmetic = kernel.arithmetic,
          .read = kernel.read,
          .written = kernel.written,
          .cached = cached};
}

inline ConvolutionWork work_of(const Convolution<std::int64_t>& form, const BoundKernel& kernel,
                               double cached) {
  return {.form = form,
          .arithmetic = kernel.arithmetic,
          .read = kernel.read,
          .written = kernel.written,
          .cached = cached,
          .channels_last = form.channels_last};
}

/// Of the unit that computes it. One channel in a group is a stencil, which has no Tensor Cores: in TF32 it
/// is as in fp32.
inline const ConvolutionParameters& parameters_of(const Convolution<std::int64_t>& form,
                                                  Arithmetic arithmetic, const TimeModel& model) {
  MatrixUnit unit = matrix_unit(arithmetic, model.machine);
  const bool stencil = form.groups > 1 && form.groups == form.in_channels;
  if (stencil && unit == MatrixUnit::tensor32) unit = MatrixUnit::vector;
  return model.priors->kernels.convolution[static_cast<std::size_t>(unit)];
}

inline StreamWork work_of(const Stream<std::int64_t>& form, const BoundKernel& kernel, double cached) {
  return {.form = form,
          .operations = kernel.operations,
          .read = kernel.read,
          .written = kernel.written,
          .cached = cached};
}

}  // namespace roofcast
