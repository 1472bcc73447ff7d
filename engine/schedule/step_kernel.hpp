#pragma once
// A step of a program as the kernels that it launches.

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

/// A kernel of a program with known sizes.
struct StepKernel {
  BoundKernel kernel{};
  std::size_t stretch = 0;  ///< of the timeline: forward, backward, optimizer
  double count = 1;
};

}  // namespace roofcast
