#pragma once
// What the operating system says about the processor.

#include "kernels/backend.hpp"

namespace roofcast {

/// Without the clock. What the system does not tell stays empty.
DeviceFacts cpu_facts();

}  // namespace roofcast
