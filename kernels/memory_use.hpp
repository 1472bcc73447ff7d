#pragma once
// Memory of a device that no tensor asked for: what contexts, libraries and graphs take.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/units.hpp"
#include "kernels/samples.hpp"

namespace roofcast {

/// Something that takes memory when it is done for the first time in a process.
struct MemoryStep {
  std::string name{};  ///< empty: done for the next ones, and not told
  std::function<Result<void>()> run{};
  std::function<Result<Bytes>()> free{};  ///< what the device has left
  Bytes operands{};                       ///< of what it takes, what it was asked for: not counted
};

struct MemoryUse {
  std::string name{};
  Bytes taken{};
  std::string failure{};  ///< why it is not known; empty if it is
};

/// One step after the other: what is free before minus what is free after. A step that fails says why, and
/// the next ones are still tried. Needs: nobody else uses the device.
std::vector<MemoryUse> measure_memory_use(std::span<const MemoryStep> steps);

/// In how large pieces a device gives memory away: allocates small blocks until what is free has become less
/// twice, and takes the second difference. All blocks are given back. Fails if that does not happen within
/// 64 MiB.
Result<Bytes> allocation_step(const std::function<Result<void*>(std::size_t bytes)>& allocate,
                              const std::function<void(void*)>& release,
                              const std::function<Result<Bytes>()>& free);

/// What `measure` returns in a child process, which ends then and gives everything back. Fails if it crashes
/// or takes longer than `patience`.
Result<std::vector<MemoryUse>> memory_use_of_child(const std::function<std::vector<MemoryUse>()>& measure,
                                                   Seconds patience = Seconds{60});

/// As a table of micro-benchmarks (tests/validation/README.md): the metric is "memory_" and the name.
std::string memory_table(std::span<const MemoryUse> uses, const SampleOrigin& origin);

}  // namespace roofcast
