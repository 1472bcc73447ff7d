#pragma once
// A CUDA device that does not exist: its memory is the host's, a stream runs at once in a time of its own,
// and calls can be made to fail.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/number.hpp"

namespace roofcast {

struct FakeCuda {
  Seconds time{};                    ///< of the stream
  Seconds host_time{};               ///< of each call
  Seconds gate_time{};               ///< how long the host takes to open a gate
  std::vector<std::string> calls{};  ///< in order
  std::map<std::string, cudaError_t> failing{};
  cudaError_t sticky = cudaSuccess;  ///< what every later call says
  double cycles_per_second = 1.5e9;  ///< of the clock that is read
  bool capturing = false;
  bool gate_escapes = false;
  std::vector<std::function<void()>> captured{};
  std::vector<std::vector<std::function<void()>>> graphs{};
  std::vector<Seconds> events{};
  std::vector<int> used_devices{};  ///< in order
  std::size_t allocated = 0;        ///< blocks of memory that were not released

  cudaError_t call(const std::string& name) {
    calls.push_back(name);
    if (sticky != cudaSuccess) return sticky;
    const auto found = failing.find(name);
    return found == failing.end() ? cudaSuccess : found->second;
  }

  /// What a kernel's launch does: now, or whenever the graph is launched that is being captured.
  cudaError_t launch(std::function<void()> work) {
    if (const auto status = call("kernel"); status != cudaSuccess) return status;
    if (capturing) {
      captured.push_back(std::move(work));
    } else {
      work();
    }
    return cudaSuccess;
  }

  std::size_t count(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::count(calls, name));
  }
};

template <class Number>
void fill_on_host(void* values, std::uint64_t count, std::uint64_t seed) {
  for (std::uint64_t i = 0; i < count; ++i) static_cast<Number*>(values)[i] = random_number<Number>(seed, i);
}

/// Calls that `fake` answers. It outlives the table.
inline CudaApi api_of(FakeCuda& fake) {
  const auto allocate = [&fake](void** memory, std::size_t bytes) {
    const auto status = fake.call("allocate");
    if (status != cudaSuccess) return status;
    *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    ++fake.allocated;
    return cudaSuccess;
  };
  const auto release = [&fake](void* memory) {
    std::free(memory);
    --fake.allocated;
    return cudaSuccess;
  };
  CudaApi api;
  api.use_device = [&fake](int device) {
    fake.used_devices.push_back(device);
    return fake.sticky;
  };
  api.allocate = allocate;
  api.release = release;
  api.allocate_on_host = allocate;
  api.release_on_host = release;
  api.set_bytes = [&fake](void* memory, int byte, std::size_t bytes) {
    std::memset(memory, byte, bytes);
    return fake.call("set");
  };
  api.copy = [&fake](void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return fake.call("copy");
  };
  api.create_stream = [&fake](cudaStream_t*) { return fake.call("stream"); };
  api.destroy_stream = [](cudaStream_t) { return cudaSuccess; };
  api.create_event = [&fake](cudaEvent_t* event) {
    fake.events.emplace_back();
    *event = reinterpret_cast<cudaEvent_t>(fake.events.size());
    return fake.call("create event");
  };
  api.destroy_event = [](cudaEvent_t) { return cudaSuccess; };
  api.record = [&fake](cudaEvent_t event, cudaStream_t) {
    fake.events.at(reinterpret_cast<std::size_t>(event) - 1) = fake.time;
    return fake.call("event");
  };
  api.elapsed = [&fake](float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    const Seconds took = fake.events.at(reinterpret_cast<std::size_t>(end) - 1) -
                         fake.events.at(reinterpret_cast<std::size_t>(begin) - 1);
    *milliseconds = static_cast<float>(1e3 * took.count());
    return fake.call("elapsed");
  };
  api.wait = [&fake] { return fake.call("wait"); };
  api.now = [&fake] { return fake.time + fake.host_time * static_cast<double>(fake.calls.size()); };
  api.take_error = [&fake] { return fake.call("take error"); };
  api.begin_capture = [&fake](cudaStream_t) {
    fake.capturing = true;
    fake.captured.clear();
    return fake.call("begin capture");
  };
  api.end_capture = [&fake](cudaStream_t, cudaGraphExec_t* graph) {
    fake.capturing = false;
    fake.graphs.push_back(std::move(fake.captured));
    *graph = reinterpret_cast<cudaGraphExec_t>(fake.graphs.size());
    return fake.call("end capture");
  };
  api.destroy_graph = [](cudaGraphExec_t) { return cudaSuccess; };
  api.launch_graph = [&fake](cudaGraphExec_t graph, cudaStream_t) {
    const auto status = fake.call("graph");
    if (status != cudaSuccess) return status;
    for (const auto& work : fake.graphs.at(reinterpret_cast<std::size_t>(graph) - 1)) work();
    return cudaSuccess;
  };
  api.fill = [&fake](Element element, void* values, std::uint64_t count, std::uint64_t seed, cudaStream_t) {
    switch (element) {
      case Element::fp32: fill_on_host<float>(values, count, seed); break;
      case Element::fp16: fill_on_host<__half>(values, count, seed); break;
      case Element::bf16: fill_on_host<__nv_bfloat16>(values, count, seed); break;
      case Element::int8: fill_on_host<std::int8_t>(values, count, seed); break;
      case Element::fp8: fill_on_host<__nv_fp8_e4m3>(values, count, seed); break;
      case Element::int32: break;
    }
    return fake.call("fill");
  };
  api.gate = [&fake](GateState* state, cudaStream_t) {
    state->escaped = fake.gate_escapes ? 1 : 0;
    fake.time += fake.gate_time;
    return fake.call("gate");
  };
  api.sweep = [&fake](const void*, std::uint64_t, std::uint32_t*, cudaStream_t) {
    fake.time += microseconds(500);
    return fake.call("sweep");
  };
  api.read_clocks = [&fake](ClockReading* reading, cudaStream_t) {
    *reading = {.begin_nanoseconds = 1000,
                .begin_cycles = 5,
                .end_nanoseconds = 2'001'000,
                .end_cycles = 5 + static_cast<std::uint64_t>(2e-3 * fake.cycles_per_second)};
    return fake.call("clocks");
  };
  return api;
}

}  // namespace roofcast
