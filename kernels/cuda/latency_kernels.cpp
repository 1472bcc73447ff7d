// Chains of reads, the cache that all SMs share, and launches.

#include <array>
#include <cmath>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/latency.hpp"
#include "kernels/cuda/read.hpp"

namespace roofcast {
namespace {

constexpr std::array<std::string_view, 1> single = {"fp32"};

Operand one_result(const Probe& /*probe*/, const CudaDevice& /*device*/) {
  return {Element::fp32, 1};
}

std::vector<Operand> no_inputs(const Probe& /*probe*/, const CudaDevice& /*device*/) {
  return {};
}

// latency_read. m: reads, n: values of the memory that they are spread over.

std::vector<Operand> chased(const Probe& probe, const CudaDevice& /*device*/) {
  return {{Element::fp32, static_cast<std::size_t>(probe.n)}};
}

std::uint64_t lines_of(const Probe& probe) {
  return static_cast<std::uint64_t>(probe.n) * sizeof(float) / chase_line;
}

Operand state(const Probe& /*probe*/, const CudaDevice& /*device*/) {
  return {Element::int32, 1};
}

Result<Launch> prepare_chase(const Probe& probe, const CudaDevice& /*device*/) {
  return Launch{[probe](const CudaOperands& operands, cudaStream_t stream) {
                  return launch_chase(operands.inputs[0], lines_of(probe), probe.m, 0,
                                      static_cast<std::uint32_t*>(operands.results), stream);
                },
                {}};
}

ExpectedResult last_line(const Probe& probe, const CudaDevice& /*device*/, const InputValues& /*inputs*/,
                         std::size_t /*at*/) {
  std::uint64_t line = line_of(0x80808080U, lines_of(probe));  // results before the first run
  for (std::int64_t i = 0; i < probe.m; ++i) line = next_line(line, lines_of(probe));
  return {static_cast<double>(line), 0};
}

// cache_read. m: rounds, n: values.

Operand block_sums(const Probe& probe, const CudaDevice& device) {
  return {Element::fp32, static_cast<std::size_t>(map_blocks(probe.n, Pack<float>::size, device.units))};
}

Result<Launch> prepare_cache_read(const Probe& probe, const CudaDevice& device) {
  return Launch{[probe, units = device.units](const CudaOperands& operands, cudaStream_t stream) {
                  return launch_cache_read(static_cast<const float*>(operands.inputs[0]), probe.n, probe.m,
                                           units, static_cast<float*>(operands.results), stream);
                },
                {}};
}

ExpectedResult rounds_of_block(const Probe& probe, const CudaDevice& device, const InputValues& inputs,
                               std::size_t at) {
  ExpectedResult expected;
  const auto blocks = static_cast<std::int64_t>(block_sums(probe, device).values);
  for_each_read_by(static_cast<std::int64_t>(at), blocks, probe.n, Pack<float>::size, [&](std::int64_t i) {
    const double value = static_cast<double>(probe.m) * inputs(0, static_cast<std::size_t>(i));
    expected.value += value;
    expected.magnitude += std::abs(value);
  });
  return expected;
}

// launch_... m: blocks, n: threads of each.

Result<Launch> prepare_nothing(const Probe& probe, const CudaDevice& /*device*/) {
  return Launch{[probe](const CudaOperands& operands, cudaStream_t stream) {
                  return launch_nothing(probe.m, probe.n, static_cast<float*>(operands.results), stream);
                },
                {}};
}

ExpectedResult one(const Probe& /*probe*/, const CudaDevice& /*device*/, const InputValues& /*inputs*/,
                   std::size_t /*at*/) {
  return {1, 0};
}

constexpr CudaKernel launch_kernel(std::string_view op, Queueing queueing) {
  CudaKernel kernel{op, single, no_inputs, one_result, prepare_nothing, one};
  kernel.queueing = queueing;
  return kernel;
}

}  // namespace

// A thread adds up all rounds of its share, up to some thousand equal values: hence the tolerance of
// cache_read.
std::span<const CudaKernel> cuda_latency_kernels() {
  static constexpr std::array kernels = {
      CudaKernel{"latency_read", single, chased, state, prepare_chase, last_line},
      CudaKernel{"cache_read", single, chased, block_sums, prepare_cache_read, rounds_of_block, 0, 1e-3},
      launch_kernel("launch_graph", Queueing::graphs),
      launch_kernel("launch_stream", Queueing::stream),
      launch_kernel("launch_host", Queueing::host),
  };
  return kernels;
}

}  // namespace roofcast
