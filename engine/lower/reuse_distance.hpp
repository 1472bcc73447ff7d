#pragma once
// What kernels read again while a cache may still hold it.

#include "engine/lower/program.hpp"

namespace roofcast {

/// Fills `Kernel::reused` and `reused_from_last_step` of every kernel and `Program::moved_bytes`: of each
/// tensor that it reads, the bytes that the kernels between went through since anybody touched it last (its
/// reuse distance, as for caches that drop what was not used for longest: Mattson et al., "Evaluation
/// techniques for storage hierarchies", 1970).
///
/// - A kernel moves what it writes, and what it reads for the first time in its phase.
/// - A block that repeats is in its steady state: what it hands on was touched in the repetition before, and
/// what
///   all repetitions read was touched one repetition ago.
/// - What nobody touched in this phase (weights, inputs, what the forward pass kept) was touched one step
/// ago:
///   steps follow each other.
///
/// Memory that is used again for another tensor counts again, so distances are upper bounds.
void note_reuse(Program& program);

}  // namespace roofcast
