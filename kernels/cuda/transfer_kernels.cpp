// Copies between the host and the device. n: values in each direction.

#include <array>
#include <memory>

#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_kernel.hpp"

namespace roofcast {
namespace {

constexpr std::array<std::string_view, 1> single = {"fp32"};

template <Place place>
std::vector<Operand> values_in(const Probe& probe, const CudaDevice& /*device*/) {
  return {{Element::fp32, static_cast<std::size_t>(probe.n), place}};
}

template <Place place>
Operand results_in(const Probe& probe, const CudaDevice& /*device*/) {
  return {Element::fp32, static_cast<std::size_t>(probe.n), place};
}

std::size_t bytes_of(const Probe& probe) {
  return static_cast<std::size_t>(probe.n) * sizeof(float);
}

Result<Launch> prepare_transfer(const Probe& probe, const CudaDevice& /*device*/) {
  return Launch{[bytes = bytes_of(probe)](const CudaOperands& operands, cudaStream_t stream) {
                  return cudaMemcpyAsync(operands.results, operands.inputs[0], bytes, cudaMemcpyDefault,
                                         stream);
                },
                {}};
}

template <std::size_t input>
ExpectedResult copied(const Probe& /*probe*/, const CudaDevice& /*device*/, const InputValues& inputs,
                      std::size_t at) {
  return {inputs(input, at), 0};
}

// transfer_both_ways: input 0 (pinned) to the device and input 1 (device) to pinned memory, at once.

/// The third operand is where the copy to the device goes: what it was filled with is lost.
std::vector<Operand> both_ways(const Probe& probe, const CudaDevice& /*device*/) {
  const auto values = static_cast<std::size_t>(probe.n);
  return {{Element::fp32, values, Place::pinned}, {Element::fp32, values}, {Element::fp32, values}};
}

/// A second stream that leaves the first one and comes back to it, also in a graph.
struct SideStream {
  SideStream() = default;
  ~SideStream() {
    if (left != nullptr) (void)cudaEventDestroy(left);
    if (back != nullptr) (void)cudaEventDestroy(back);
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  cudaError_t open() {
    auto status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (status == cudaSuccess) status = cudaEventCreateWithFlags(&left, cudaEventDisableTiming);
    if (status == cudaSuccess) status = cudaEventCreateWithFlags(&back, cudaEventDisableTiming);
    return status;
  }

  cudaStream_t stream = nullptr;
  cudaEvent_t left = nullptr;
  cudaEvent_t back = nullptr;
};

cudaError_t copy_both_ways(const SideStream& side, std::size_t bytes, const CudaOperands& operands,
                           cudaStream_t stream) {
  void* on_device = const_cast<void*>(operands.inputs[2]);
  auto status = cudaEventRecord(side.left, stream);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(side.stream, side.left, 0);
  if (status == cudaSuccess)
    status = cudaMemcpyAsync(operands.results, operands.inputs[1], bytes, cudaMemcpyDefault, side.stream);
  if (status == cudaSuccess)
    status = cudaMemcpyAsync(on_device, operands.inputs[0], bytes, cudaMemcpyDefault, stream);
  if (status == cudaSuccess) status = cudaEventRecord(side.back, side.stream);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(stream, side.back, 0);
  return status;
}

Result<Launch> prepare_both_ways(const Probe& probe, const CudaDevice& /*device*/) {
  const auto side = std::make_shared<SideStream>();
  if (const auto opened = succeeded(side->open(), "second stream"); !opened)
    return tl::make_unexpected(opened.error());
  return Launch{[side, bytes = bytes_of(probe)](const CudaOperands& operands, cudaStream_t stream) {
                  return copy_both_ways(*side, bytes, operands, stream);
                },
                {}};
}

/// Pageable memory is copied through pieces of pinned memory by the host, which therefore waits for the
/// stream: behind a gate it would wait for ever, and a graph cannot hold it.
constexpr CudaKernel from_host(CudaKernel kernel) {
  kernel.queueing = Queueing::host;
  return kernel;
}

}  // namespace

std::span<const CudaKernel> cuda_transfer_kernels() {
  static constexpr std::array kernels = {
      CudaKernel{"transfer_to_device", single, values_in<Place::pinned>, results_in<Place::device>,
                 prepare_transfer, copied<0>},
      CudaKernel{"transfer_to_host", single, values_in<Place::device>, results_in<Place::pinned>,
                 prepare_transfer, copied<0>},
      CudaKernel{"transfer_both_ways", single, both_ways, results_in<Place::pinned>, prepare_both_ways,
                 copied<1>},
      from_host({"transfer_to_device_pageable", single, values_in<Place::pageable>, results_in<Place::device>,
                 prepare_transfer, copied<0>}),
      from_host({"transfer_to_host_pageable", single, values_in<Place::device>, results_in<Place::pageable>,
                 prepare_transfer, copied<0>}),
  };
  return kernels;
}

}  // namespace roofcast
