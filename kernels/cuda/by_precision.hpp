#pragma once
// From a probe's precision to the type of number that a kernel is compiled for.

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/map.hpp"

namespace roofcast {

/// Those of operators that are not products.
inline constexpr std::array<std::string_view, 3> float_precisions = {"fp32", "fp16", "bf16"};

/// `make(Number{})` for one of `float_precisions`.
template <class Make>
Launch by_precision(std::string_view precision, Make&& make) {
  if (precision == "fp16") return make(__half{});
  if (precision == "bf16") return make(__nv_bfloat16{});
  return make(float{});
}

/// So many inputs of the probe's size.
template <std::size_t count>
std::vector<Operand> same_inputs(const Probe& probe, const CudaDevice& /*device*/) {
  return std::vector<Operand>(count, {element_of(probe.precision), cuda_elements(probe)});
}

inline Operand same_results(const Probe& probe, const CudaDevice& /*device*/) {
  return {element_of(probe.precision), cuda_elements(probe)};
}

/// Numbers that one instruction moves.
inline int pack_size(const Probe& probe) {
  return 16 / static_cast<int>(size_of(element_of(probe.precision)));
}

inline MapArguments map_arguments(const Probe& probe, const CudaDevice& device,
                                  const CudaOperands& operands) {
  return {operands.inputs[0], operands.inputs[1], operands.results, probe.m * probe.n,
          map_blocks(probe.m * probe.n, pack_size(probe), device.units)};
}

template <class Core>
Result<Launch> prepare_map(const Probe& probe, const CudaDevice& device) {
  return by_precision(probe.precision, [&]<class Number>(Number /*type*/) {
    return Launch{[probe, device](const CudaOperands& operands, cudaStream_t stream) {
                    return launch_map<Core, Number>(map_arguments(probe, device, operands), stream);
                  },
                  {}};
  });
}

}  // namespace roofcast
