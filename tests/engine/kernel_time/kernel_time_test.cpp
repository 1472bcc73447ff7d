#include "engine/kernel_time/kernel_time.hpp"

#include <doctest/doctest.h>

#include "engine/kernel_time/terms.hpp"
#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

KernelTime time_of(const BoundKernel& kernel, const Priors& priors = toy_priors()) {
  return kernel_time(kernel, rates_of(toy_device()), toy_runtime(), priors);
}

BoundKernel copy(double bytes) {
  return {.form = Stream<std::int64_t>{StreamKind::copy, 1},
          .read = Bytes{bytes / 2},
          .written = Bytes{bytes / 2}};
}

BoundKernel gemm(double macs, Arithmetic arithmetic = Arithmetic::tensor_fp16) {
  return {.form = Gemm<std::int64_t>{}, .arithmetic = arithmetic, .macs = macs};
}

TEST_CASE("kernel_time: 1 GB copied at 1 TB/s with a launch of 5 us takes 1.005 ms") {
  const KernelTime time = time_of(copy(1e9));

  CHECK(as_microseconds(time.total) == close_to(1000 + 5));
  CHECK(time.bound == Bound::memory);
}

TEST_CASE("kernel_time: a product below its bytes' time is compute bound, at two operations a multiply-add") {
  const KernelTime time = time_of(gemm(5e9));  // 10 GFLOP at 10 TFLOP/s

  CHECK(as_microseconds(time.compute) == close_to(1000));
  CHECK(as_microseconds(time.total) == close_to(1000 + 5));
  CHECK(time.bound == Bound::compute);
}

TEST_CASE("kernel_time: the longer of compute and memory counts, not their sum") {
  BoundKernel kernel = gemm(5e9);
  kernel.read = Bytes{0.5e9};
  CHECK(as_microseconds(time_of(kernel).total) == close_to(1000 + 5));
  kernel.read = Bytes{2e9};
  CHECK(as_microseconds(time_of(kernel).total) == close_to(2000 + 5));
  CHECK(time_of(kernel).bound == Bound::memory);
}

TEST_CASE("kernel_time: launch bound while the launch is longer than the work") {
  CHECK(time_of(copy(4.9e6)).bound == Bound::launch);
  CHECK(time_of(copy(5.1e6)).bound == Bound::memory);
  CHECK(as_microseconds(time_of(copy(0)).total) == close_to(5));
}

TEST_CASE("kernel_time: each arithmetic has its own peak") {
  CHECK(as_microseconds(time_of(gemm(5e9, Arithmetic::vector_fp32)).compute) == close_to(10000));
  CHECK(as_microseconds(time_of(gemm(5e9, Arithmetic::tensor_tf32)).compute) == close_to(1000));
  CHECK(as_microseconds(time_of(gemm(5e9, Arithmetic::tensor_fp8)).compute) == close_to(500));
}

TEST_CASE("kernel_time: other operations run on the vector units, and hide behind a product") {
  BoundKernel stream = copy(0);
  stream.operations = 1e9;
  CHECK(as_microseconds(time_of(stream).compute) == close_to(1000));

  BoundKernel product = gemm(5e9);
  product.operations = 1e12;
  CHECK(as_microseconds(time_of(product).compute) == close_to(1000));
}

TEST_CASE("kernel_time: efficiencies are those of the kernel's family") {
  Priors priors = toy_priors();
  priors.efficiency[static_cast<std::size_t>(KernelFamily::gemm)] = {.compute = 0.5, .memory = 0.25};

  CHECK(as_microseconds(time_of(gemm(5e9), priors).compute) == close_to(2000));
  CHECK(as_microseconds(time_of(copy(1e9), priors).memory) == close_to(1000));
}

TEST_CASE("kernel_time: recomputed multiply-adds cost time") {
  BoundKernel kernel = gemm(4e9);
  kernel.recomputed_macs = 1e9;

  CHECK(as_microseconds(time_of(kernel).compute) == close_to(1000));
  CHECK(time_of(kernel).executed_macs == 5e9);
}

TEST_CASE("time_terms: the formulas' values are the terms, and they add up") {
  BoundKernel kernel = gemm(5e9);
  kernel.read = Bytes{2e9};
  const KernelTime time = time_of(kernel);

  const std::vector<TimeTerm> terms = time_terms(kernel, rates_of(toy_device()), toy_runtime(), toy_priors());

  REQUIRE(terms.size() == 3);
  CHECK(terms[0].name == "launch");
  CHECK(terms[0].formula == "one launch under toy");
  CHECK(terms[1].name == "compute");
  CHECK(terms[1].formula == "2 * 5 GMAC / (1.00 * 10 TFLOP/s)");
  CHECK(terms[2].name == "memory");
  CHECK(terms[2].formula == "(2 GB read + 0 B written) / (1.00 * 1 TB/s)");
  CHECK((terms[0].time + std::max(terms[1].time, terms[2].time)).count() == close_to(time.total.count()));
}

TEST_CASE("time_terms: a stream's compute is operations over the vector peak") {
  BoundKernel stream = copy(0);
  stream.operations = 3e6;

  CHECK(time_terms(stream, rates_of(toy_device()), toy_runtime(), toy_priors()).at(1).formula ==
        "3 Mop / (1.00 * 1 TFLOP/s)");
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
