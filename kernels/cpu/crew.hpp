#pragma once
// Threads that kernels share, which wait for work awake.

#include <cstddef>
#include <functional>

namespace roofcast {

/// Calls `visit(first, last)` for blocks that together are [0, count), each at most `block` long, on one
/// thread for each core; the caller's is one of them. After its last block a thread looks out for the next
/// call for 0.2 ms before it sleeps, as those of OpenBLAS, OpenMP and ONNX Runtime do: waking one takes a few
/// hundred microseconds on a virtual machine, as long as a million values. What fits in one block wakes
/// nobody. Not for calls from several threads at a time.
void run_in_blocks(std::size_t count, std::size_t block,
                   const std::function<void(std::size_t first, std::size_t last)>& visit);

}  // namespace roofcast
