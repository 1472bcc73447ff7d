#pragma once
// A kernel in the words of its family's model.

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

inline GemmWork work_of(const Gemm<std::int64_t>& form, const BoundKernel& kernel) {
  return {.batch = static_cast<double>(form.batch),
          .m = static_cast<double>(form.m),
          .n = static_cast<double>(form.n),
          .k = static_cast<double>(form.k),
          .arithmetic = kernel.arithmetic,
          .read = kernel.read,
          .written = kernel.written,
          .cached = kernel.cached};
}

inline ConvolutionWork work_of(const Convolution<std::int64_t>& form, const BoundKernel& kernel) {
  return {.form = form,
          .arithmetic = kernel.arithmetic,
          .read = kernel.read,
          .written = kernel.written,
          .channels_last = form.channels_last};
}

inline StreamWork work_of(const Stream<std::int64_t>& form, const BoundKernel& kernel) {
  return {.form = form, .operations = kernel.operations, .read = kernel.read, .written = kernel.written};
}

}  // namespace roofcast
