#pragma once
// The terms of a kernel's time in words and numbers, for people who want to check them.

#include <string>
#include <vector>

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// One term, its formula filled in: {"compute", "2 * 77.3 G / (0.75 * 312 TFLOP/s)", 661 us}.
struct TimeTerm {
  std::string name{};
  std::string formula{};
  Seconds time{};
};

/// launch, compute and memory of `kernel_time`, in this order.
std::vector<TimeTerm> time_terms(const BoundKernel& kernel, const DeviceRates& rates, const Runtime& runtime,
                                 const Priors& priors);

/// `m=4096 n=768 k=768`
std::string describe(const KernelForm<std::int64_t>& form);

}  // namespace roofcast
