#include "kernels/cuda/cuda_memory_use.hpp"

#include <memory>
#include <optional>

#include "kernels/cuda/cublas_lt.hpp"
#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/device_memory.hpp"
#include "kernels/cuda/latency.hpp"
#include "kernels/cuda/nvml.hpp"
#ifdef ROOFCAST_HAS_CUDNN
#include "kernels/cuda/cudnn.hpp"
#endif

namespace roofcast {
namespace {

/// Of the context's device. Makes the context if there is none.
Result<Bytes> free_memory() {
  std::size_t free = 0;
  std::size_t all = 0;
  if (const auto done = succeeded(cudaMemGetInfo(&free, &all), "memory"); !done)
    return tl::make_unexpected(done.error());
  return Bytes{static_cast<double>(free)};
}

/// What steps leave for the next ones.
struct Process {
  CudaApi api = cuda_runtime();
  std::optional<Nvml> nvml{};
  CudaDevice device{};
  cudaStream_t stream = nullptr;
  void* small = nullptr;  // 256 bytes
  DeviceMemory arena{};   // for operands
  cudaGraphExec_t graph = nullptr;
};

constexpr std::size_t arena_bytes = std::size_t{64} << 20U;

/// One run of a kernel by a library, on operands in the arena, of which the numbers do not matter.
Result<void> run_once(Process& process, const Probe& probe) {
  const CudaKernel* kernel = find_cuda_kernel(probe.op, probe.precision, process.device);
  if (kernel == nullptr) return fail("the device or its libraries have no such kernel");
  const auto launch = kernel->prepare(probe, process.device);
  if (!launch) return tl::make_unexpected(launch.error());
  auto* next = static_cast<std::byte*>(process.arena.get());
  CudaOperands operands;
  const auto take = [&](const Operand& operand) {
    void* place = next;
    next += (operand.values * size_of(operand.element) + 255) / 256 * 256;
    return place;
  };
  std::size_t input = 0;
  for (const Operand& each : kernel->inputs(probe, process.device)) operands.inputs.at(input++) = take(each);
  operands.results = take(kernel->results(probe, process.device));
  if (static_cast<std::size_t>(next - static_cast<std::byte*>(process.arena.get())) > arena_bytes)
    return fail("its operands are too large");
  auto done = succeeded(launch->run(operands, process.stream), "launch");
  if (done) done = succeeded(cudaDeviceSynchronize(), "run");
  return done;
}

Result<void> instantiate_graph(Process& process) {
  constexpr int kernels = 100;
  auto done = succeeded(process.api.begin_capture(process.stream), "capture");
  for (int i = 0; i < kernels && done; ++i)
    done = succeeded(launch_nothing(1, 32, static_cast<float*>(process.small), process.stream), "launch");
  const auto ended = succeeded(process.api.end_capture(process.stream, &process.graph), "capture");
  if (done) done = ended;
  if (done) done = succeeded(process.api.launch_graph(process.graph, process.stream), "graph");
  return done ? succeeded(cudaDeviceSynchronize(), "run") : done;
}

Result<void> open_products(Process& process) {
  auto opened = CublasLt::open();
  if (!opened) return tl::make_unexpected(opened.error());
  process.device.products = *std::move(opened);
  return {};
}

#ifdef ROOFCAST_HAS_CUDNN
Result<void> open_convolutions(Process& process) {
  auto opened = Cudnn::open();
  if (!opened) return tl::make_unexpected(opened.error());
  process.device.convolutions = *std::move(opened);
  return {};
}
#endif

/// A step whose memory the context tells.
MemoryStep step(std::string name, std::function<Result<void>()> run, Bytes operands = {}) {
  return {std::move(name), std::move(run), free_memory, operands};
}

/// NVML, which needs no context, tells what the first one takes.
MemoryStep context_step(Process& process) {
  return {"context", [] { return succeeded(cudaFree(nullptr), "context"); },
          [&process]() -> Result<Bytes> {
            if (!process.nvml) return fail("there is no NVML to ask before there is a context");
            const auto free = process.nvml->free_memory();
            if (!free) return fail("NVML does not tell what is free");
            return *free;
          }};
}

std::vector<MemoryStep> steps_of(Process& process) {
  std::vector<MemoryStep> steps = {
      context_step(process),
      step("first_allocation", [&process] { return succeeded(cudaMalloc(&process.small, 256), "memory"); }),
      step("stream", [&process] { return succeeded(process.api.create_stream(&process.stream), "stream"); }),
      step("first_kernel",
           [&process] {
             const auto done =
                 succeeded(process.api.fill(Element::fp32, process.small, 64, 1, process.stream), "fill");
             return done ? succeeded(cudaDeviceSynchronize(), "run") : done;
           }),
      step("kernel_of_second_module",
           [&process] {
             const auto done = succeeded(
                 launch_nothing(1, 32, static_cast<float*>(process.small), process.stream), "launch");
             return done ? succeeded(cudaDeviceSynchronize(), "run") : done;
           }),
      step("graph_of_100_kernels", [&process] { return instantiate_graph(process); }),
      step("",
           [&process]() -> Result<void> {
             auto memory = DeviceMemory::allocate(process.api, arena_bytes);
             if (!memory) return tl::make_unexpected(memory.error());
             process.arena = *std::move(memory);
             return {};
           }),
      step(
          "cublaslt_create", [&process] { return open_products(process); },
          Bytes{static_cast<double>(CublasLt::workspace_bytes)}),
      step("cublaslt_first_product", [&process] {
        return run_once(process, {.op = "gemm", .precision = "fp16", .m = 1024, .n = 1024, .k = 1024});
      })};
#ifdef ROOFCAST_HAS_CUDNN
  steps.push_back(step("cudnn_create", [&process] { return open_convolutions(process); }));
  steps.push_back(step("cudnn_first_convolution", [&process] {
    return run_once(process, {.op = "conv2d",
                              .precision = "fp16",
                              .convolution = ConvolutionSizes{.batch = 8,
                                                              .in_channels = 64,
                                                              .out_channels = 64,
                                                              .kernel = 3,
                                                              .in_size = 56,
                                                              .stride = 1,
                                                              .padding = 1}});
  }));
#endif
  return steps;
}

MemoryUse step_of_allocations() {
  const auto bytes = allocation_step(
      [](std::size_t size) -> Result<void*> {
        void* memory = nullptr;
        if (const auto done = succeeded(cudaMalloc(&memory, size), "memory"); !done)
          return tl::make_unexpected(done.error());
        return memory;
      },
      [](void* memory) { (void)cudaFree(memory); }, free_memory);
  if (!bytes) return {.name = "allocation_step", .failure = bytes.error().front().message};
  return {.name = "allocation_step", .taken = *bytes};
}

std::vector<MemoryUse> measure_in_this_process() {
  int count = 0;  // stays as it is without a driver
  cudaDeviceProp properties{};
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 ||
      cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
    return {};
  Process process{.nvml = Nvml::open(properties.pciDomainID, properties.pciBusID, properties.pciDeviceID),
                  .device = {.units = properties.multiProcessorCount,
                             .compute_capability = 10 * properties.major + properties.minor}};
  const std::vector<MemoryStep> steps = steps_of(process);
  std::vector<MemoryUse> uses = measure_memory_use(steps);
  uses.push_back(step_of_allocations());
  return uses;
}

}  // namespace

Result<std::vector<MemoryUse>> cuda_memory_use() {
  auto uses = memory_use_of_child(measure_in_this_process);
  if (uses && uses->empty()) return fail("no CUDA device");
  return uses;
}

}  // namespace roofcast
