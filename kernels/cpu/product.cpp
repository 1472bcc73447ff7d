// Matrix products, by a library.

#include <array>
#include <cmath>

#include "kernels/cpu/blas.hpp"
#include "kernels/cpu/cpu_kernel.hpp"

namespace roofcast {
namespace {

std::vector<std::size_t> inputs(const Probe& probe) {
  return {static_cast<std::size_t>(probe.m * probe.k), static_cast<std::size_t>(probe.k * probe.n)};
}

void gemm(const Probe& probe, const Operands& operands) {
  multiply(probe.m, probe.n, probe.k, operands.inputs[0], operands.inputs[1], operands.results);
}

Expected dot_product(const Probe& probe, const Operands& operands, std::size_t at) {
  const auto columns = static_cast<std::size_t>(probe.n);
  const auto depth = static_cast<std::size_t>(probe.k);
  const float* row = operands.inputs[0] + at / columns * depth;
  const float* column = operands.inputs[1] + at % columns;
  Expected expected;
  for (std::size_t i = 0; i < depth; ++i) {
    const double product = static_cast<double>(row[i]) * column[i * columns];
    expected.value += product;
    expected.magnitude += std::abs(product);
  }
  return expected;
}

}  // namespace

std::span<const CpuKernel> product_kernels() {
  static constexpr std::array kernels = {CpuKernel{"gemm", inputs, elements, gemm, dot_product}};
  return kernels;
}

}  // namespace roofcast
