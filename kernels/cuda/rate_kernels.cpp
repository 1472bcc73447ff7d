// Rates of an SM's units. m: threads, or warps of Tensor Cores; n: instructions of each.

#include <array>
#include <cmath>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/mma.hpp"
#include "kernels/cuda/rate.hpp"

namespace roofcast {
namespace {

template <std::size_t count>
using Names = std::array<std::string_view, count>;

constexpr Names<1> single = {"fp32"};
constexpr Names<1> half = {"fp16"};
constexpr Names<2> tensor = {"fp16", "int8"};
constexpr Names<2> later_tensor = {"bf16", "tf32"};
constexpr Names<1> quarter = {"fp8"};

/// So many values for each thread.
template <std::size_t count>
Operand of_threads(const Probe& probe, const CudaDevice& /*device*/) {
  return {element_of(probe.precision), count * static_cast<std::size_t>(probe.m)};
}

template <std::size_t count>
std::vector<Operand> input_of_threads(const Probe& probe, const CudaDevice& device) {
  return {of_threads<count>(probe, device)};
}

template <cudaError_t (*launch)(const RateArguments&, cudaStream_t)>
Result<Launch> prepare_rate(const Probe& probe, const CudaDevice& /*device*/) {
  return Launch{[probe](const CudaOperands& operands, cudaStream_t stream) {
                  return launch({operands.inputs[0], operands.results, probe.m, probe.n}, stream);
                },
                {}};
}

/// Of n / 8 steps x -> f x + b from x0: f^r x0 + b (1 - f^r) / (1 - f), over all chains.
ExpectedResult multiply_add_value(const Probe& probe, const CudaDevice& /*device*/, const InputValues& inputs,
                                  std::size_t at) {
  constexpr double factor = MultiplyAddChain::factor;
  const double input = inputs(0, at);
  const double power = std::pow(factor, static_cast<double>(probe.n / rate_chains));
  ExpectedResult expected;
  for (int chain = 0; chain < rate_chains; ++chain) {
    expected.value += power * MultiplyAddChain::begin(static_cast<float>(input), chain) +
                      input * (1 - power) / (1 - factor);
  }
  expected.magnitude = std::abs(expected.value);
  return expected;
}

ExpectedResult exponential_value(const Probe& probe, const CudaDevice& /*device*/, const InputValues& inputs,
                                 std::size_t at) {
  ExpectedResult expected;
  for (int chain = 0; chain < rate_chains; ++chain) {
    double x = ExponentialChain::begin(static_cast<float>(inputs(0, at)), chain);
    for (std::int64_t i = 0; i < probe.n / rate_chains; ++i) x = std::exp2(-x);
    expected.value += x;
  }
  expected.magnitude = expected.value;
  return expected;
}

std::vector<Operand> shared_inputs(const Probe& probe, const CudaDevice& /*device*/) {
  return {{Element::fp32, static_cast<std::size_t>(probe.m / rate_threads * 4 * shared_packs)}};
}

ExpectedResult shared_value(const Probe& probe, const CudaDevice& /*device*/, const InputValues& inputs,
                            std::size_t at) {
  const std::size_t block = at / rate_threads;
  const auto thread = static_cast<int>(at % rate_threads);
  ExpectedResult expected;
  for (int step = 0; step < static_cast<int>(probe.n); ++step) {
    const std::size_t pack = block * shared_packs + static_cast<std::size_t>(shared_pack(thread, step));
    for (std::size_t i = 0; i < 4; ++i) {
      expected.value += inputs(0, 4 * pack + i);
      expected.magnitude += std::abs(inputs(0, 4 * pack + i));
    }
  }
  return expected;
}

/// Values in a row of the first tile, a column of the second.
std::size_t tile_depth(const Probe& probe) {
  return tile_words * 4 / size_of(element_of(probe.precision));
}

std::vector<Operand> mma_inputs(const Probe& probe, const CudaDevice& /*device*/) {
  const Element element = element_of(probe.precision);
  const std::size_t words = static_cast<std::size_t>(probe.m) * tile_depth(probe);
  return {{element, words * tile_rows}, {element, words * tile_columns}};
}

Operand mma_results(const Probe& probe, const CudaDevice& /*device*/) {
  return {probe.precision == "int8" ? Element::int32 : Element::fp32,
          static_cast<std::size_t>(probe.m) * tile_rows * tile_columns};
}

Result<Launch> prepare_mma(const Probe& probe, const CudaDevice& device) {
  return Launch{
      [probe](const CudaOperands& operands, cudaStream_t stream) {
        return launch_mma(mma_type(probe.precision),
                          {operands.inputs[0], operands.inputs[1], operands.results, probe.m, probe.n},
                          stream);
      },
      device.compute_capability >= 80                ? "one instruction a product"
      : element_of(probe.precision) == Element::fp16 ? "two instructions of half the k a product"
                                                     : "four instructions of half the k and rows a product"};
}

ExpectedResult mma_value(const Probe& probe, const CudaDevice& /*device*/, const InputValues& inputs,
                         std::size_t at) {
  const std::size_t depth = tile_depth(probe);
  const std::size_t warp = at / (tile_rows * tile_columns);
  const std::size_t row = warp * tile_rows + at / tile_columns % tile_rows;
  const std::size_t column = warp * tile_columns + at % tile_columns;
  ExpectedResult expected;
  for (std::size_t i = 0; i < depth; ++i) {
    const double product =
        static_cast<double>(probe.n) * inputs(0, row * depth + i) * inputs(1, column * depth + i);
    expected.value += product;
    expected.magnitude += std::abs(product);
  }
  return expected;
}

}  // namespace

// Tolerances: chains of fp16 round 16 times as much as one step does, and their sum once more; Tensor Cores
// cut off what they add, and TF32 the ends of operands.
std::span<const CudaKernel> cuda_rate_kernels() {
  static constexpr std::array kernels = {
      CudaKernel{"rate_fma", single, input_of_threads<1>, of_threads<1>, prepare_rate<launch_multiply_add>,
                 multiply_add_value, 0, 1e-5},
      CudaKernel{"rate_fma", half, input_of_threads<2>, of_threads<2>, prepare_rate<launch_multiply_add_fp16>,
                 multiply_add_value, 0, 2e-2},
      CudaKernel{"rate_exp2", single, input_of_threads<1>, of_threads<1>, prepare_rate<launch_exponential>,
                 exponential_value, 0, 1e-5},
      CudaKernel{"rate_shared", single, shared_inputs, of_threads<1>, prepare_rate<launch_shared_read>,
                 shared_value, 0, 1e-5},
      CudaKernel{"rate_mma", tensor, mma_inputs, mma_results, prepare_mma, mma_value, 75, 3e-3},
      CudaKernel{"rate_mma", later_tensor, mma_inputs, mma_results, prepare_mma, mma_value, 80, 3e-3},
      CudaKernel{"rate_mma", quarter, mma_inputs, mma_results, prepare_mma, mma_value, 89, 3e-3},
  };
  return kernels;
}

}  // namespace roofcast
