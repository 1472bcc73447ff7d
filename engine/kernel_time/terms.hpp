#pragma once
// The terms of a kernel's time in words and numbers, for people who want to check them.

#include <string>
#include <vector>

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// One term with what it comes from: {"compute", "2 x 77.3 GMAC in tiles of 128 x 256, 1.8 waves", 661 us}.
struct TimeTerm {
  std::string name{};
  std::string formula{};
  Seconds time{};
};

/// The terms of `kernel_time`: launch, compute, memory, and where they are not nothing further, residual and
/// limit (what the physical limit adds). Families join them in their own way, so they do not always add up;
/// see the headers of their models.
std::vector<TimeTerm> time_terms(const BoundKernel& kernel, const TimeModel& model);

/// `m=4096 n=768 k=768`
std::string describe(const KernelForm<std::int64_t>& form);

}  // namespace roofcast
