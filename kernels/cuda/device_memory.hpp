#pragma once
// Memory of the device for a probe's operands: one set of them, or several that take turns.

#include <memory>
#include <vector>

#include "engine/base/units.hpp"
#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_kernel.hpp"

namespace roofcast {

/// How a probe's operands lie in memory.
struct OperandLayout {
  std::vector<Operand> inputs{};
  Operand results{};
  std::size_t set_bytes = 0;       ///< on the device, each operand at a multiple of 256 bytes
  std::size_t host_bytes = 0;      ///< of a set in pinned memory of the host, the same
  std::size_t pageable_bytes = 0;  ///< of a set in pageable memory of the host, the same
  std::size_t sets = 1;
  bool sweeps =
      false;  ///< too small to push each other out: the cache is swept before each round of all sets
};

/// So many sets that a run finds its operands in memory, if the probe is cold: together twice the cache and
/// one more, but at most 512, before which the cache is swept instead.
OperandLayout operand_layout(const CudaKernel& kernel, const Probe& probe, const CudaDevice& device,
                             Bytes cache);

/// Freed with its owner. Also that of the host, pinned or pageable.
class DeviceMemory {
 public:
  static Result<DeviceMemory> allocate(const CudaApi& api, std::size_t bytes);
  static Result<DeviceMemory> allocate_on_host(const CudaApi& api, std::size_t bytes);
  static Result<DeviceMemory> allocate_pageable(std::size_t bytes);
  void* get() const { return memory_.get(); }

 private:
  static Result<DeviceMemory> allocate_by(const CudaApi& api,
                                          const std::function<cudaError_t(void**, std::size_t)>& allocate,
                                          const std::function<cudaError_t(void*)>& release,
                                          std::size_t bytes);
  std::unique_ptr<void, std::function<void(void*)>> memory_{};
};

struct DeviceOperands {
  DeviceMemory memory{};
  DeviceMemory host_memory{};      ///< pinned; empty if no operand is there
  DeviceMemory pageable_memory{};  ///< the same
  std::vector<CudaOperands> sets{};
};

/// Seed of input `input` of set `set`.
std::uint64_t input_seed(std::size_t set, std::size_t input);

/// Sets results to `unwritten_byte`. Needs: nothing of the device is still writing there.
Result<void> reset_results(const CudaApi& api, const Operand& results, void* memory);

/// Inputs are random, results are `unwritten_byte`. Fails if there is not enough memory.
Result<DeviceOperands> make_operands(const CudaApi& api, const OperandLayout& layout, cudaStream_t stream);

}  // namespace roofcast
