#include "engine/kernel_time/kernel_time.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "engine/kernel_time/terms.hpp"
#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

KernelTime time_of(const BoundKernel& kernel, const Priors& priors = toy_priors()) {
  return kernel_time(kernel, time_model(toy_device(), priors));
}

BoundKernel copy(double bytes) {
  return {.form = Stream<std::int64_t>{StreamKind::copy, 1},
          .read = Bytes{bytes / 2},
          .written = Bytes{bytes / 2}};
}

// 1000 x 1000 results of 3200 multiply-adds each: 6.4 GFLOP.
BoundKernel gemm(Arithmetic arithmetic = Arithmetic::tensor_fp16) {
  return {
      .form = Gemm<std::int64_t>{.m = 1000, .n = 1000, .k = 3200}, .arithmetic = arithmetic, .macs = 3.2e9};
}

BoundKernel convolution() {
  return {.form = Convolution<std::int64_t>{.batch = 10,
                                            .in_channels = 32,
                                            .out_channels = 100,
                                            .input = {1, 100, 100},
                                            .output = {1, 100, 100}},
          .arithmetic = Arithmetic::vector_fp32,
          .macs = 10.0 * 100 * 100 * 32 * 100};
}

TEST_CASE("kernel_time: 1 GB copied at 1 TB/s with a launch of 5 us takes 1.005 ms") {
  const KernelTime time = time_of(copy(1e9));

  CHECK(as_microseconds(time.total) == close_to(1000 + 5));
  CHECK(time.bound == Bound::memory);
}

TEST_CASE("kernel_time: a product below its bytes' time is compute bound, at two operations a multiply-add") {
  const KernelTime time = time_of(gemm());  // 6.4 GFLOP at 10 TFLOP/s

  CHECK(as_microseconds(time.compute) == close_to(640));
  CHECK(as_microseconds(time.total) == close_to(640 + 5));
  CHECK(time.bound == Bound::compute);
}

TEST_CASE("kernel_time: of a product the longer of compute and memory counts where they overlap wholly") {
  BoundKernel kernel = gemm();
  kernel.read = Bytes{0.5e9};
  CHECK(as_microseconds(time_of(kernel).total) == close_to(640 + 5));
  kernel.read = Bytes{2e9};
  CHECK(as_microseconds(time_of(kernel).total) == close_to(2000 + 5));
  CHECK(time_of(kernel).bound == Bound::memory);
}

TEST_CASE("cached_share: half where the kernel and what came between fill the cache's share") {
  const CacheParameters cache{.resident_share = 0.5};
  Machine machine = machine_of(toy_device());
  machine.l2 = Bytes{20e6};
  BoundKernel kernel = copy(8e6);
  CHECK(cached_share(kernel, machine, cache) == 0);

  kernel.reused[0] = {.bytes = 4e6, .distance = 2e6};
  CHECK(cached_share(kernel, machine, cache) == close_to(0.5));
  kernel.reused[0].bytes = 1e6;
  CHECK(cached_share(kernel, machine, cache) == close_to(0.125));
  kernel.reused[1] = {.bytes = 3e6, .distance = 92e6};
  CHECK(cached_share(kernel, machine, cache) == close_to(0.125 + 0.75 / 10001));
}

TEST_CASE("cached_share: a kernel cannot find more than it reads, and nothing without a cache") {
  const CacheParameters cache{.resident_share = 0.5};
  Machine machine = machine_of(toy_device());
  machine.l2 = Bytes{1e12};
  BoundKernel kernel = copy(8e6);
  kernel.reused[0] = {.bytes = 9e6};

  CHECK(cached_share(kernel, machine, cache) == 1);
  machine.l2 = Bytes{0};
  CHECK(cached_share(kernel, machine, cache) == 0);
}

TEST_CASE("kernel_time: launch bound while the launch is longer than the work") {
  CHECK(time_of(copy(4.9e6)).bound == Bound::launch);
  CHECK(time_of(copy(5.1e6)).bound == Bound::memory);
  CHECK(as_microseconds(time_of(copy(0)).total) == close_to(5));
}

TEST_CASE("kernel_time: each arithmetic has its own peak") {
  CHECK(as_microseconds(time_of(gemm(Arithmetic::vector_fp32)).compute) == close_to(6400));
  CHECK(as_microseconds(time_of(gemm(Arithmetic::tensor_tf32)).compute) == close_to(640));
  CHECK(as_microseconds(time_of(gemm(Arithmetic::tensor_fp8)).compute) == close_to(320));
}

TEST_CASE("kernel_time: other operations run on the vector units, and hide behind a product") {
  BoundKernel stream = copy(0);
  stream.operations = 1e9;
  CHECK(as_microseconds(time_of(stream).compute) == close_to(1000));

  BoundKernel product = gemm();
  product.operations = 1e12;
  CHECK(as_microseconds(time_of(product).compute) == close_to(640));
}

TEST_CASE("kernel_time: parameters are those of the unit that multiplies and of the kind of stream") {
  Priors priors = toy_priors();
  priors.kernels.gemm[static_cast<std::size_t>(MatrixUnit::tensor16)].peak_share = 0.5;
  priors.kernels.stream[static_cast<std::size_t>(StreamKind::softmax)].bandwidth_share = 0.25;
  BoundKernel softmax = copy(1e9);
  softmax.form = Stream<std::int64_t>{StreamKind::softmax, 1};

  CHECK(as_microseconds(time_of(gemm(), priors).compute) == close_to(1280));
  CHECK(as_microseconds(time_of(gemm(Arithmetic::tensor_tf32), priors).compute) == close_to(640));
  CHECK(as_microseconds(time_of(softmax, priors).memory) == close_to(4000));
  CHECK(as_microseconds(time_of(copy(1e9), priors).memory) == close_to(1000));
}

TEST_CASE("matrix_unit: Tensor Cores by their width, CUDA cores where a card has none") {
  Device without = toy_device();
  without.operations_per_clock_per_sm[static_cast<std::size_t>(Arithmetic::tensor_fp16)].reset();
  const Machine machine = machine_of(toy_device());

  CHECK(matrix_unit(Arithmetic::vector_fp32, machine) == MatrixUnit::vector);
  CHECK(matrix_unit(Arithmetic::tensor_tf32, machine) == MatrixUnit::tensor32);
  CHECK(matrix_unit(Arithmetic::tensor_bf16, machine) == MatrixUnit::tensor16);
  CHECK(matrix_unit(Arithmetic::tensor_int8, machine) == MatrixUnit::tensor8);
  CHECK(matrix_unit(Arithmetic::tensor_fp16, machine_of(without)) == MatrixUnit::vector);
}

TEST_CASE("kernel_time: recomputed multiply-adds are executed too") {
  BoundKernel kernel = gemm();
  kernel.macs = 2.5e9;
  kernel.recomputed_macs = 0.7e9;

  CHECK(time_of(kernel).executed_macs == 3.2e9);
}

TEST_CASE("kernel_time: a row shorter than a sector moves a whole one") {
  Priors priors = toy_priors();
  priors.kernels.gather.sector_bytes = 32;
  const auto gather = [&](double row_bytes) {
    return as_microseconds(time_of({.form = Gather<std::int64_t>{.rows = 1'000'000, .row_elements = 1},
                                    .read = Bytes{1e6 * row_bytes}},
                                   priors)
                               .memory);
  };

  CHECK(gather(4) == close_to(32));  // 32 MB at 1 TB/s
  CHECK(gather(64) == close_to(64));
}

// Features of the product are log2 of m, n, k, batch; the residual stands right there with ln 0.5 and
// ln 1.25.
TEST_CASE("kernel_time: the residual multiplies the time, but nothing beats the peak and the cache") {
  const auto corrected = [](double logarithm) {
    Priors priors = toy_priors();
    priors.kernels.gemm[static_cast<std::size_t>(MatrixUnit::tensor16)].residual = {
        .points = {features(gemm().form)}, .weights = {logarithm}};
    return as_microseconds(time_of(gemm(), priors).total);
  };

  CHECK(corrected(std::log(1.25)) == close_to(1.25 * 645));
  CHECK(corrected(-0.2) == close_to(640));  // at the peak; e^-0.2 x 645 would be 528
}

TEST_CASE("kernel_time: bytes come no faster than from the L2 cache") {
  Priors priors = toy_priors();
  priors.kernels.cache.l2_bytes_per_clock = 200;  // x 10 SMs x 1 GHz: twice the memory's bandwidth
  for (StreamParameters& stream : priors.kernels.stream) stream.launch_us = 0;

  BoundKernel kernel = copy(1e9);
  kernel.reused[0] = {.bytes = kernel.read.value};
  CHECK(as_microseconds(time_of(kernel, priors).total) == close_to(500));
}

TEST_CASE("kernel_time: power is what the arithmetic draws of the board's limit") {
  Priors priors = toy_priors();
  PowerParameters& power = priors.kernels.power[static_cast<std::size_t>(MatrixUnit::tensor16)];
  power = {.watts_per_tera = 20, .clock_exponent = 0.5};
  for (GemmParameters& parameters : priors.kernels.gemm) parameters.launch_us = 0;
  const TimeModel model = time_model(toy_device(), priors);
  const KernelTime time = kernel_time(gemm(), model);

  CHECK(time.power == close_to(20 * 10 / 100.0));  // 10 TFLOP/s on a board of 100 W
  CHECK(slowdown(time.power, power) == close_to(std::sqrt(2.0)));
  CHECK(slowdown(0.99, power) == 1);
  CHECK(as_microseconds(sustained(time, MatrixUnit::tensor16, model)) == close_to(640 * std::sqrt(2.0)));
  CHECK(time_of(copy(1e9), priors).power == 0);
}

TEST_CASE("features: sizes of products and convolutions in octaves") {
  CHECK(features(Gemm<std::int64_t>{.batch = 8, .m = 2, .n = 4, .k = 1024}) == Features{1, 2, 10, 3});
  CHECK(features(Convolution<std::int64_t>{
            .batch = 4, .in_channels = 64, .out_channels = 128, .input = {1, 16, 32}}) ==
        Features{2, 6, 7, 9});
  CHECK(features(Stream<std::int64_t>{StreamKind::copy, 64}) == Features{});
}

TEST_CASE("time_terms: the formulas' values are the terms, and they add up") {
  Priors priors = toy_priors();
  priors.kernels.gemm[static_cast<std::size_t>(MatrixUnit::tensor16)].tiles = {{100, 100}};  // 100 on 10 SMs
  BoundKernel kernel = gemm();
  kernel.read = Bytes{2e9};
  const TimeModel model = time_model(toy_device(), priors);
  const KernelTime time = kernel_time(kernel, model);

  const std::vector<TimeTerm> terms = time_terms(kernel, model);

  REQUIRE(terms.size() == 3);
  CHECK(terms[0].name == "launch");
  CHECK(terms[0].formula == "on the device");
  CHECK(terms[1].name == "compute");
  CHECK(terms[1].formula == "2 x 3.2 GMAC at up to 10 TFLOP/s, tiles of 100x100, 10 waves");
  CHECK(terms[2].name == "memory");
  CHECK(terms[2].formula == "2 GB at up to 1.00 x 1 TB/s");
  CHECK((terms[0].time + std::max(terms[1].time, terms[2].time)).count() == close_to(time.total.count()));
}

TEST_CASE("time_terms: a residual is a term of its own") {
  Priors priors = toy_priors();
  priors.kernels.gemm[static_cast<std::size_t>(MatrixUnit::tensor16)].residual = {
      .points = {features(gemm().form)}, .weights = {std::log(1.2)}};

  const std::vector<TimeTerm> terms = time_terms(gemm(), time_model(toy_device(), priors));

  CHECK(terms.back().name == "residual");
  CHECK(terms.back().formula == "x 1.200, fitted");
  CHECK(as_microseconds(terms.back().time) == close_to(0.2 * 645));
}

TEST_CASE("time_terms: a stream's compute is operations over the vector peak") {
  const Priors priors = toy_priors();
  BoundKernel stream = copy(0);
  stream.operations = 3e6;

  CHECK(time_terms(stream, time_model(toy_device(), priors)).at(1).formula == "3 Mop / (1.00 x 1 TFLOP/s)");
}

TEST_CASE("time_terms: a convolution says which algorithm it is") {
  const Priors priors = toy_priors();

  CHECK(time_terms(convolution(), time_model(toy_device(), priors))
            .at(1)
            .formula.starts_with("implicit GEMM, 2 x 320 MMAC at up to 1 TFLOP/s, tiles of 1x1"));
}

TEST_CASE("describe: sizes that matter, in words") {
  CHECK(describe(Gemm<std::int64_t>{.m = 4096, .n = 768, .k = 64}) == "m=4096 n=768 k=64");
  CHECK(describe(Gemm<std::int64_t>{.batch = 8, .m = 4, .n = 5, .k = 6}) == "batch=8 m=4 n=5 k=6");
  CHECK(describe(Convolution<std::int64_t>{.batch = 2,
                                           .in_channels = 3,
                                           .out_channels = 64,
                                           .input = {1, 224, 224},
                                           .output = {1, 112, 112},
                                           .kernel = {1, 7, 7},
                                           .stride = {1, 2, 2}}) ==
        "forward: n=2 3x224x224 -> 64x112x112 kernel=7x7 stride=2x2");
  CHECK(describe(Attention<std::int64_t>{.batch = 2,
                                         .heads = 8,
                                         .kv_heads = 4,
                                         .query_length = 128,
                                         .key_length = 256,
                                         .head_size = 64,
                                         .causal = true}) ==
        "forward: n=2 heads=8/4 q=128 k=256 d=64 causal");
  CHECK(describe(Stream<std::int64_t>{StreamKind::copy, 12}) == "12 elements");
  CHECK(describe(Gather<std::int64_t>{.scatter = true, .rows = 3, .row_elements = 4}) ==
        "scatter 3 rows of 4");
}

TEST_CASE("describe: an axis of size 1 is still an axis") {
  CHECK(describe(Convolution<std::int64_t>{.pass = Pass::weight_gradient,
                                           .batch = 1,
                                           .in_channels = 64,
                                           .out_channels = 64,
                                           .groups = 64,
                                           .input = {1, 1, 9},
                                           .output = {1, 1, 7},
                                           .kernel = {1, 1, 3}}) ==
        "weight gradient: n=1 64x1x9 -> 64x1x7 kernel=1x3 stride=1x1 groups=64");
}

}  // namespace
}  // namespace roofcast
