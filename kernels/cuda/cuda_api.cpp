#include "kernels/cuda/cuda_api.hpp"

#include <fmt/format.h>

#include <chrono>

namespace roofcast {
namespace {

cudaError_t instantiate(cudaStream_t stream, cudaGraphExec_t* graph) {
  cudaGraph_t captured = nullptr;
  if (const auto status = cudaStreamEndCapture(stream, &captured); status != cudaSuccess) return status;
  const auto status = cudaGraphInstantiate(graph, captured, 0);
  cudaGraphDestroy(captured);
  return status;
}

}  // namespace

CudaApi cuda_runtime() {
  return {
      .use_device = [](int device) { return cudaSetDevice(device); },
      .allocate = [](void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); },
      .release = [](void* memory) { return cudaFree(memory); },
      .allocate_on_host = [](void** memory,
                             std::size_t bytes) { return cudaHostAlloc(memory, bytes, cudaHostAllocMapped); },
      .release_on_host = [](void* memory) { return cudaFreeHost(memory); },
      .set_bytes = [](void* memory, int byte, std::size_t bytes) { return cudaMemset(memory, byte, bytes); },
      .copy = [](void* to, const void* from,
                 std::size_t bytes) { return cudaMemcpy(to, from, bytes, cudaMemcpyDefault); },
      .create_stream =
          [](cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking); },
      .destroy_stream = [](cudaStream_t stream) { return cudaStreamDestroy(stream); },
      .create_event = [](cudaEvent_t* event) { return cudaEventCreate(event); },
      .destroy_event = [](cudaEvent_t event) { return cudaEventDestroy(event); },
      .record = [](cudaEvent_t event, cudaStream_t stream) { return cudaEventRecord(event, stream); },
      .elapsed = [](float* milliseconds, cudaEvent_t begin,
                    cudaEvent_t end) { return cudaEventElapsedTime(milliseconds, begin, end); },
      .wait = [] { return cudaDeviceSynchronize(); },
      .take_error = [] { return cudaGetLastError(); },
      .now = []() -> Seconds { return std::chrono::steady_clock::now().time_since_epoch(); },
      .begin_capture =
          [](cudaStream_t stream) {
            return cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
          },
      .end_capture = instantiate,
      .destroy_graph = [](cudaGraphExec_t graph) { return cudaGraphExecDestroy(graph); },
      .launch_graph = [](cudaGraphExec_t graph,
                         cudaStream_t stream) { return cudaGraphLaunch(graph, stream); },
      .fill = launch_fill,
      .gate = launch_gate,
      .sweep = launch_sweep,
      .read_clocks = launch_clock_reading,
  };
}

Result<void> succeeded(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return {};
  return fail(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}

}  // namespace roofcast
