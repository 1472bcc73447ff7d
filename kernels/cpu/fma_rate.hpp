#pragma once
// How fast all cores multiply and add, with nothing to load or store.

#include "engine/base/units.hpp"

namespace roofcast {

/// fp32 operations per second of all cores together, a multiply-add counting 2: ten independent chains of
/// fused multiply-adds in the widest vectors that the processor has (AVX-512, AVX2, else four lanes). No
/// kernel is faster. So many times the best core in a few tries of a millisecond, because whatever interrupts
/// one makes it look slower.
FlopsPerSecond fma_rate();

}  // namespace roofcast
