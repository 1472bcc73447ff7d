#pragma once
// At which clock a core runs.

#include "engine/base/units.hpp"

namespace roofcast {

/// The clock of the core that this runs on, from a chain of additions, each of which waits for the one
/// before: one cycle each on all processors of today. The best of a few tries of some ten microseconds,
/// because whatever interrupts one makes it look slower. A virtual machine that has lost its core meanwhile
/// shows a low clock.
Hertz clock_speed();

}  // namespace roofcast
