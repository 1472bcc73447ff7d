#pragma once
// One probe on a CUDA device: checked, and timed behind a gate.

#include <memory>

#include "kernels/backend.hpp"
#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/device_memory.hpp"

namespace roofcast {

/// What all probes of a device share.
struct CudaSession {
  CudaApi api{};
  CudaDevice device{};
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  GateState* gate = nullptr;             ///< in memory of the host
  ClockReading* clocks = nullptr;        ///< the same
  const void* sweep_memory = nullptr;    ///< zeros
  std::uint64_t sweep_bytes = 0;         ///< twice the cache
  std::uint32_t* sweep_never = nullptr;  ///< of the device
};

/// Between the session's two events, when all is done. Fails if the gate did not wait for the second one to
/// be queued.
Result<Seconds> time_behind_gate(const CudaSession& session);

/// How the runs of one batch reach the device. All times are between two events of the stream, which a gate
/// holds until everything is queued, so that the host's calls are not in them.
///
/// - Fewer than 16 runs without a sweep: launched one by one, each on the next set.
/// - More: in graphs of whole rounds of all sets, of at most 512 runs. A batch is rounded up to whole graphs,
/// and
///   its time is scaled to what was asked for.
/// - With a sweep: one graph after the other, the sweep before each and not in its time.
struct BatchPlan {
  bool in_graphs = false;
  std::int64_t runs_in_graph = 0;  ///< a multiple of the sets
  std::int64_t graphs = 0;
};

BatchPlan batch_plan(std::int64_t times, const OperandLayout& layout);

/// `session` outlives it.
Result<std::unique_ptr<Prepared>> prepare_cuda(const CudaSession& session, const CudaKernel& kernel,
                                               const Probe& probe, const OperandLayout& layout);

}  // namespace roofcast
