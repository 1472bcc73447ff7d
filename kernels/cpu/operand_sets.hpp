#pragma once
// Memory for a probe's operands: one set of them, or several that take turns.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "kernels/cpu/cpu_kernel.hpp"

namespace roofcast {

/// So many sets that each run finds its operands in memory, if the probe is cold: together twice the cache
/// and one more. A set that is twice the cache pushes itself out.
std::size_t operand_sets(const CpuKernel& kernel, const Probe& probe, Bytes cache);

/// Of all sets.
Bytes operand_bytes(const CpuKernel& kernel, const Probe& probe, std::size_t sets);

class OperandSets {
 public:
  /// Inputs are normal random numbers by `seed`, results are NaN. Fails if there is not enough memory.
  static Result<OperandSets> make(const CpuKernel& kernel, const Probe& probe, std::size_t sets,
                                  std::uint64_t seed);

  std::size_t count() const { return sets_.size(); }
  const Operands& operator[](std::size_t set) const { return sets_[set]; }

 private:
  struct Free {
    void operator()(float* values) const { std::free(values); }
  };
  std::unique_ptr<float, Free> memory_{};
  std::vector<Operands> sets_{};
};

}  // namespace roofcast
