#include "engine/kernel_time/benchmark.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// Operands of 3 and 1 MB, a result of 2 MB.
BoundKernel product() {
  return {.form = Gemm<std::int64_t>{.m = 3000, .n = 1000, .k = 320},
          .arithmetic = Arithmetic::tensor_fp16,
          .macs = 3000.0 * 1000 * 320,
          .read = Bytes{4e6},
          .written = Bytes{2e6}};
}

TEST_CASE("reuse_in_benchmark: all reads, after the other copies of the weights") {
  CHECK(reuse_in_benchmark(product(), 1).bytes == 4e6);
  CHECK(reuse_in_benchmark(product(), 1).distance == 0);
  CHECK(reuse_in_benchmark(product(), 5).distance == close_to(4e6));  // four of 1 MB
}

TEST_CASE("reuse_in_benchmark: operands that are no weights do not take turns") {
  const BoundKernel copy{.form = Stream<std::int64_t>{StreamKind::copy, 1}, .read = Bytes{1}};

  CHECK(reuse_in_benchmark(copy, 6).bytes == 1);
  CHECK(reuse_in_benchmark(copy, 6).distance == 0);
}

TEST_CASE("benchmark_time: cold operands come from memory") {
  Priors priors = toy_priors();
  priors.kernels.cache.l2_bytes_per_clock = 1000;  // 10 TB/s for ten SMs, ten times the memory
  const TimeModel model = time_model(toy_device(), priors);
  const BoundKernel copy{.form = Stream<std::int64_t>{StreamKind::copy, 1}, .read = Bytes{1e9}};

  CHECK(as_microseconds(benchmark_time(std::vector{copy}, model, {})) == close_to(5 + 100));
  CHECK(as_microseconds(benchmark_time(std::vector{copy}, model, {.cold = true})) == close_to(5 + 1000));
}

TEST_CASE(
    "benchmark_time: kernels add up, and the harness adds its overhead once, by the first one's family") {
  const Priors priors = toy_priors();
  const TimeModel model = time_model(toy_device(), priors);
  const BoundKernel copy{.form = Stream<std::int64_t>{StreamKind::copy, 1}, .read = Bytes{1e9}};
  const BoundKernel softmax{.form = Stream<std::int64_t>{StreamKind::softmax, 1}, .read = Bytes{1e9}};
  Harness harness;
  harness.overhead[static_cast<std::size_t>(KernelFamily::softmax)] = microseconds(20);
  harness.overhead[static_cast<std::size_t>(KernelFamily::copy)] = microseconds(300);

  CHECK(as_microseconds(benchmark_time(std::vector{softmax, copy}, model, harness)) ==
        close_to(2 * 1005 + 20));
  CHECK(as_microseconds(benchmark_time(std::vector{copy}, model, {})) == close_to(1005));
  CHECK(benchmark_time({}, model, harness).count() == 0);
}

TEST_CASE("benchmark_time: a kernel over and over runs at the clock that its power allows") {
  Priors priors = toy_priors();
  for (GemmParameters& gemm : priors.kernels.gemm) gemm.launch_us = 0;
  priors.kernels.power.fill({.watts_per_tera = 40, .clock_exponent = 0.5});  // 400 W for 10 TFLOP/s on 100 W
  const TimeModel model = time_model(toy_device(), priors);
  const double peak_us = 2 * 3000.0 * 1000 * 320 / 10e12 * 1e6;

  CHECK(as_microseconds(benchmark_time(std::vector{product()}, model, {})) == close_to(2 * peak_us));
}

}  // namespace
}  // namespace roofcast
