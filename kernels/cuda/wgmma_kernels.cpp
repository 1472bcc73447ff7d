// Rate of wgmma. m: groups of four warps; n: instructions of each.

#include <array>
#include <cmath>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/wgmma.hpp"

namespace roofcast {
namespace {

/// Values in a row of the first tile, a column of the second.
std::size_t depth_of(const Probe& probe) {
  return wgmma_row_bytes / size_of(element_of(probe.precision));
}

std::vector<Operand> inputs(const Probe& probe, const CudaDevice& /*device*/) {
  const Element element = element_of(probe.precision);
  const auto groups = static_cast<std::size_t>(probe.m);
  return {{element, groups * wgmma_rows * depth_of(probe)},
          {element, groups / wgmma_groups_of_block * wgmma_columns * depth_of(probe)}};
}

Operand results(const Probe& probe, const CudaDevice& /*device*/) {
  return {probe.precision == "int8" ? Element::int32 : Element::fp32,
          static_cast<std::size_t>(probe.m) * wgmma_rows * wgmma_columns};
}

Result<Launch> prepare(const Probe& probe, const CudaDevice& /*device*/) {
  return Launch{[probe](const CudaOperands& operands, cudaStream_t stream) {
                  return launch_wgmma(
                      mma_type(probe.precision),
                      {operands.inputs[0], operands.inputs[1], operands.results, probe.m, probe.n}, stream);
                },
                {}};
}

ExpectedResult expected(const Probe& probe, const CudaDevice& /*device*/, const InputValues& values,
                        std::size_t at) {
  const std::size_t depth = depth_of(probe);
  const std::size_t group = at / (wgmma_rows * wgmma_columns);
  const std::size_t row = at / wgmma_columns;  // of all groups
  const std::size_t column = group / wgmma_groups_of_block * wgmma_columns + at % wgmma_columns;
  ExpectedResult expected;
  for (std::size_t i = 0; i < depth; ++i) {
    const double product = wgmma_products * values(0, row * depth + i) * values(1, column * depth + i);
    expected.value += product;
    expected.magnitude += std::abs(product);
  }
  return expected;
}

constexpr std::array<std::string_view, 5> precisions = {"fp16", "bf16", "tf32", "int8", "fp8"};

constexpr CudaKernel only_on_90(CudaKernel kernel) {
  kernel.least_compute_capability = 90;
  kernel.most_compute_capability = 90;
  return kernel;
}

}  // namespace

// Tolerance: that of products in fp8, whose sums have 14 bits on this very device.
std::span<const CudaKernel> cuda_wgmma_kernels() {
  static constexpr std::array kernels = {
      only_on_90({"rate_wgmma", precisions, inputs, results, prepare, expected, 0, 2e-3}),
  };
  return kernels;
}

}  // namespace roofcast
