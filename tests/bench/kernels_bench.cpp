// Times of single kernels: what a sweep spends itself on. No two kernels in a row are the same, and nothing
// is kept.

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "engine/kernel_time/kernel_time.hpp"
#include "tests/bench/bench_data.hpp"

namespace roofcast::bench {
namespace {

using Dim = std::int64_t;

class Sizes {
 public:
  /// Each octave is as likely as the others.
  Dim operator()(double low, double high) {
    return static_cast<Dim>(
        std::exp2(std::uniform_real_distribution<double>{std::log2(low), std::log2(high)}(random_)));
  }

 private:
  std::mt19937_64 random_{20261130};
};

template <class Make>
void time_kernels(benchmark::State& state, const std::string& hw, const Make& make) {
  constexpr std::size_t count = 4096;
  const Platform on = platform(hw);
  const TimeModel model = time_model(on.device, on.priors);
  Sizes size;
  std::vector<BoundKernel> kernels;
  for (std::size_t i = 0; i < count; ++i) kernels.push_back(make(size));
  std::size_t next = 0;
  for ([[maybe_unused]] auto round : state) {
    benchmark::DoNotOptimize(kernel_time(kernels[next], model));
    next = (next + 1) % count;
  }
  state.SetItemsProcessed(state.iterations());
}

void gemm(benchmark::State& state, const std::string& hw, Arithmetic arithmetic) {
  const double bytes = arithmetic == Arithmetic::vector_fp32 ? 4 : 2;
  time_kernels(state, hw, [&](Sizes& size) {
    const Gemm<Dim> form{.m = size(1, 16384), .n = 8 * size(8, 2048), .k = 8 * size(8, 2048)};
    const auto m = static_cast<double>(form.m), n = static_cast<double>(form.n),
               k = static_cast<double>(form.k);
    return BoundKernel{.form = form,
                       .arithmetic = arithmetic,
                       .macs = m * n * k,
                       .read = Bytes{bytes * (m + n) * k},
                       .written = Bytes{bytes * m * n}};
  });
}

void convolution(benchmark::State& state, const std::string& hw, Arithmetic arithmetic) {
  const double bytes = arithmetic == Arithmetic::vector_fp32 ? 4 : 2;
  time_kernels(state, hw, [&](Sizes& size) {
    const Dim side = size(7, 113);
    const Convolution<Dim> form{.batch = size(1, 256),
                                .in_channels = 16 * size(1, 64),
                                .out_channels = 16 * size(1, 64),
                                .input = {1, side, side},
                                .output = {1, side, side},
                                .kernel = {1, 3, 3}};
    const auto pixels = static_cast<double>(form.batch * side * side);
    const auto in = static_cast<double>(form.in_channels), out = static_cast<double>(form.out_channels);
    return BoundKernel{.form = form,
                       .arithmetic = arithmetic,
                       .macs = pixels * in * out * 9,
                       .read = Bytes{bytes * (pixels * in + in * out * 9)},
                       .written = Bytes{bytes * pixels * out}};
  });
}

void stream(benchmark::State& state, const std::string& hw, StreamKind kind) {
  time_kernels(state, hw, [&](Sizes& size) {
    const Dim row = size(64, 8192);
    const Dim elements = row * size(1, 65536);
    const Bytes bytes{2.0 * static_cast<double>(elements)};
    return BoundKernel{.form = Stream<Dim>{kind, elements, row},
                       .operations = 5.0 * static_cast<double>(elements),
                       .read = bytes,
                       .written = bytes};
  });
}

BENCHMARK_CAPTURE(gemm, a100_fp16, "a100-sxm4-80gb", Arithmetic::tensor_fp16);
BENCHMARK_CAPTURE(gemm, a100_fp32, "a100-sxm4-80gb", Arithmetic::vector_fp32);
BENCHMARK_CAPTURE(gemm, h100_bf16, "h100-sxm5-80gb", Arithmetic::tensor_bf16);
BENCHMARK_CAPTURE(convolution, a100_fp16, "a100-sxm4-80gb", Arithmetic::tensor_fp16);
BENCHMARK_CAPTURE(convolution, a100_fp32, "a100-sxm4-80gb", Arithmetic::vector_fp32);
BENCHMARK_CAPTURE(stream, a100_softmax, "a100-sxm4-80gb", StreamKind::softmax);
BENCHMARK_CAPTURE(stream, a100_elementwise, "a100-sxm4-80gb", StreamKind::elementwise);

}  // namespace
}  // namespace roofcast::bench
