#pragma once
// What the backend calls of CUDA's runtime, as a table: tests put a device here that does not exist.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/base/diagnostics.hpp"
#include "engine/base/units.hpp"
#include "kernels/cuda/method_kernels.hpp"

namespace roofcast {

/// Each function is its namesake `cuda...` of the runtime, or a kernel of method_kernels.hpp.
struct CudaApi {
  std::function<cudaError_t(int device)> use_device{};  ///< for the calls that follow
  std::function<cudaError_t(void** memory, std::size_t bytes)> allocate{};
  std::function<cudaError_t(void* memory)> release{};
  std::function<cudaError_t(void** memory, std::size_t bytes)> allocate_on_host{};  ///< both sides see it
  std::function<cudaError_t(void* memory)> release_on_host{};
  std::function<cudaError_t(void* memory, int byte, std::size_t bytes)> set_bytes{};
  std::function<cudaError_t(void* to, const void* from, std::size_t bytes)> copy{};  ///< waits

  std::function<cudaError_t(cudaStream_t* stream)> create_stream{};
  std::function<cudaError_t(cudaStream_t stream)> destroy_stream{};
  std::function<cudaError_t(cudaEvent_t* event)> create_event{};
  std::function<cudaError_t(cudaEvent_t event)> destroy_event{};
  std::function<cudaError_t(cudaEvent_t event, cudaStream_t stream)> record{};
  std::function<cudaError_t(float* milliseconds, cudaEvent_t begin, cudaEvent_t end)> elapsed{};
  std::function<cudaError_t()> wait{};  ///< for all of the device
  std::function<cudaError_t()> take_error{};
  std::function<Seconds()> now{};  ///< of the host

  std::function<cudaError_t(cudaStream_t stream)> begin_capture{};
  std::function<cudaError_t(cudaStream_t stream, cudaGraphExec_t* graph)> end_capture{};  ///< and instantiate
  std::function<cudaError_t(cudaGraphExec_t graph)> destroy_graph{};
  std::function<cudaError_t(cudaGraphExec_t graph, cudaStream_t stream)> launch_graph{};

  std::function<cudaError_t(Element element, void* values, std::uint64_t count, std::uint64_t seed,
                            cudaStream_t stream)>
      fill{};
  std::function<cudaError_t(GateState* state, cudaStream_t stream)> gate{};
  std::function<cudaError_t(const void* memory, std::uint64_t bytes, std::uint32_t* never,
                            cudaStream_t stream)>
      sweep{};
  std::function<cudaError_t(ClockReading* reading, cudaStream_t stream)> read_clocks{};
};

/// The runtime itself.
CudaApi cuda_runtime();

/// Fails with what CUDA calls the error and what was tried: "fill: out of memory".
Result<void> succeeded(cudaError_t status, const char* what);

}  // namespace roofcast
