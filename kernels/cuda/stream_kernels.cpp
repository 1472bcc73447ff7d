// copy, read, write and triad; a copy by few blocks.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cuda/by_precision.hpp"
#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/read.hpp"

namespace roofcast {
namespace {

ExpectedResult copied(const Probe& /*probe*/, const CudaDevice& /*device*/, const InputValues& inputs,
                      std::size_t at) {
  return {inputs(0, at), 0};
}

ExpectedResult written(const Probe& /*probe*/, const CudaDevice& /*device*/, const InputValues& /*inputs*/,
                       std::size_t /*at*/) {
  return {WriteCore::value, 0};
}

ExpectedResult triad_value(const Probe& /*probe*/, const CudaDevice& /*device*/, const InputValues& inputs,
                           std::size_t at) {
  const double left = inputs(0, at);
  const double right = static_cast<double>(TriadCore::factor) * inputs(1, at);
  return {left + right, std::abs(left) + std::abs(right)};
}

Operand block_sums(const Probe& probe, const CudaDevice& device) {
  return {Element::fp32,
          static_cast<std::size_t>(map_blocks(probe.m * probe.n, pack_size(probe), device.units))};
}

ExpectedResult block_sum(const Probe& probe, const CudaDevice& device, const InputValues& inputs,
                         std::size_t at) {
  ExpectedResult expected;
  const auto blocks = static_cast<std::int64_t>(block_sums(probe, device).values);
  for_each_read_by(static_cast<std::int64_t>(at), blocks, probe.m * probe.n, pack_size(probe),
                   [&](std::int64_t i) {
                     const double value = inputs(0, static_cast<std::size_t>(i));
                     expected.value += value;
                     expected.magnitude += std::abs(value);
                   });
  return expected;
}

Result<Launch> prepare_read(const Probe& probe, const CudaDevice& device) {
  return by_precision(probe.precision, [&]<class Number>(Number /*type*/) {
    return Launch{[probe, device](const CudaOperands& operands, cudaStream_t stream) {
                    return launch_read<Number>(map_arguments(probe, device, operands), stream);
                  },
                  {}};
  });
}

// inflight_copy. m: blocks, n: values. Each thread of a block has 64 bytes in flight.

std::vector<Operand> columns(const Probe& probe, const CudaDevice& /*device*/) {
  return {{Element::fp32, static_cast<std::size_t>(probe.n)}};
}

Operand copied_columns(const Probe& probe, const CudaDevice& /*device*/) {
  return {Element::fp32, static_cast<std::size_t>(probe.n)};
}

Result<Launch> prepare_inflight_copy(const Probe& probe, const CudaDevice& /*device*/) {
  return Launch{[probe](const CudaOperands& operands, cudaStream_t stream) {
                  return launch_map<CopyCore, float>(
                      {operands.inputs[0], nullptr, operands.results, probe.n, probe.m}, stream);
                },
                {}};
}

constexpr std::array<std::string_view, 1> single = {"fp32"};

}  // namespace

std::span<const CudaKernel> cuda_stream_kernels() {
  static constexpr std::array kernels = {
      CudaKernel{"stream_copy", float_precisions, same_inputs<1>, same_results, prepare_map<CopyCore>,
                 copied},
      CudaKernel{"stream_read", float_precisions, same_inputs<1>, block_sums, prepare_read, block_sum},
      CudaKernel{"stream_write", float_precisions, same_inputs<0>, same_results, prepare_map<WriteCore>,
                 written},
      CudaKernel{"stream_triad", float_precisions, same_inputs<2>, same_results, prepare_map<TriadCore>,
                 triad_value},
      CudaKernel{"inflight_copy", single, columns, copied_columns, prepare_inflight_copy, copied},
  };
  return kernels;
}

}  // namespace roofcast
