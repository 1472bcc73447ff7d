#include "kernels/cpu/cpu_kernel.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/exponential.hpp"
#include "kernels/cpu/operand_sets.hpp"

namespace roofcast {
namespace {

// Ragged sizes, on both sides of where more threads help.
TEST_CASE("CPU kernels: every one agrees with its reference in double precision") {
  const auto backend = open_cpu_backend();
  REQUIRE(backend);
  std::vector<Probe> probes;
  for (const char* op : {"stream_copy", "stream_read", "stream_write", "stream_triad", "add_tensor", "relu",
                         "gelu", "softmax", "layernorm"}) {
    for (const auto& [m, n] : {std::pair{1, 1}, std::pair{3, 7}, std::pair{33, 1023}, std::pair{2, 50'257}})
      probes.push_back({.op = op, .m = m, .n = n});
  }
  for (const auto& [m, n, k] : {std::array{1, 1, 1}, std::array{1, 300, 70}, std::array{65, 129, 257}})
    probes.push_back({.op = "gemm", .m = m, .n = n, .k = k});
  for (const Probe& probe : probes) {
    CAPTURE(name(probe));
    const auto prepared = (*backend)->prepare(probe);
    REQUIRE(prepared);
    const auto right = (*prepared)->verify();
    CHECK_MESSAGE(right, (right ? std::string{} : right.error().front().message));
  }
}

TEST_CASE("CPU kernels: every operator of the lists has one") {
  for (const Extent extent : {Extent::quick, Extent::full}) {
    for (const Probe& probe : probe_list(extent, {.memory = gibibytes(1), .operations = Flops{1e12}}))
      CHECK_MESSAGE(find_cpu_kernel(probe.op) != nullptr, probe.op);
  }
  CHECK(find_cpu_kernel("sort") == nullptr);
}

TEST_CASE("CPU backend: an operator or precision that it lacks is an error") {
  const auto backend = open_cpu_backend();
  REQUIRE(backend);

  const auto sort = (*backend)->prepare({.op = "sort"});
  REQUIRE_FALSE(sort);
  CHECK(sort.error().front().message == "the CPU backend has no kernel 'sort fp32'");
  CHECK_FALSE((*backend)->prepare({.op = "relu", .precision = "fp16"}));
}

TEST_CASE("operand_sets: cold operands are together more than twice the cache, warm ones are one set") {
  const CpuKernel& copy = *find_cpu_kernel("stream_copy");
  Probe probe{.op = "stream_copy", .n = 1024};  // two operands of 4 KiB
  constexpr Bytes cache = mebibytes(1);

  CHECK(operand_sets(copy, probe, cache) == 2 * 128 + 1);
  CHECK(operand_bytes(copy, probe, 257).value == 257.0 * 2 * 4096);
  probe.n = 262'144;  // 2 MiB a set: it is twice the cache
  CHECK(operand_sets(copy, probe, cache) == 1);
  probe.n = 262'128;  // a line less
  CHECK(operand_sets(copy, probe, cache) == 3);
  probe.residency = Residency::warm;
  CHECK(operand_sets(copy, probe, cache) == 1);
}

TEST_CASE("OperandSets: inputs are random and never 0, results are not numbers before the first run") {
  const CpuKernel& add = *find_cpu_kernel("add_tensor");
  const Probe probe{.op = "add_tensor", .m = 10, .n = 1001};

  const auto sets = OperandSets::make(add, probe, 3, 1);

  REQUIRE(sets);
  CHECK(sets->count() == 3);
  for (std::size_t set = 0; set < 3; ++set) {
    const Operands& operands = (*sets)[set];
    for (std::size_t i = 0; i < elements(probe); ++i) {
      REQUIRE(operands.inputs[0][i] != 0.0F);
      REQUIRE(operands.inputs[1][i] != 0.0F);
      REQUIRE(std::isnan(operands.results[i]));
    }
    CHECK(operands.inputs[0][0] != operands.inputs[1][0]);
  }
}

TEST_CASE("exponential: within 3e-7 of e^x, and at the ends where floats end") {
  for (double x = -86; x <= 86; x += 0.01) {
    const auto argument = static_cast<float>(x);
    CHECK(exponential(argument) == doctest::Approx(std::exp(static_cast<double>(argument))).epsilon(3e-7));
  }
  CHECK(exponential(0.0F) == 1.0F);
  CHECK(exponential(-1000.0F) < 1e-37F);
  CHECK(std::isfinite(exponential(1000.0F)));
}

}  // namespace
}  // namespace roofcast
