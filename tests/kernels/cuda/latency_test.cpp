#include "kernels/cuda/latency.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/probe_list.hpp"

namespace roofcast {
namespace {

TEST_CASE("next_line: comes by all lines before it returns, and not in their order") {
  for (const std::uint64_t lines : {1U, 2U, 32U, 1024U, 65536U}) {
    CAPTURE(lines);
    std::vector<bool> seen(lines, false);
    std::uint64_t line = 0;
    std::uint64_t neighbours = 0;
    for (std::uint64_t i = 0; i < lines; ++i) {
      CHECK_FALSE(seen[line]);
      seen[line] = true;
      const std::uint64_t after = next_line(line, lines);
      if (after == line + 1) ++neighbours;
      line = after;
    }
    CHECK(line == 0);
    if (lines >= 1024) CHECK(neighbours <= lines / 16);
  }
}

TEST_CASE("latency probes: lines are a power of two, bytes by hand, and only where a device names them") {
  const std::vector<SupportedOp> supported = supported_ops({.units = 100, .compute_capability = 80});
  ProbeLimits limits{.memory = gibibytes(2), .operations = Flops{1e13}, .units = 100};
  for (const Probe& probe : probe_list(Extent::full, limits)) CHECK_FALSE(probe.op.starts_with("launch_"));
  limits.supported = supported;

  int chases = 0;
  int caches = 0;
  int launches = 0;
  for (const Probe& probe : probe_list(Extent::full, limits)) {
    if (probe.op == "latency_read") {
      ++chases;
      CHECK((probe.n & (probe.n - 1)) == 0);
      CHECK(probe.n * 4 >= 128);
      CHECK(probe.read.value == 128.0 * 2048);
    } else if (probe.op == "cache_read") {
      ++caches;
      CHECK(probe.n % 4 == 0);
      CHECK(probe.read.value == 4.0 * (1 << 26));
    } else if (probe.op.starts_with("launch_")) {
      ++launches;
    }
  }
  CHECK(chases == 19);
  CHECK(caches == 11);
  CHECK(launches == 3 * 3);
}

TEST_CASE("stream probes of devices: blocks up to four for each SM") {
  const std::vector<SupportedOp> supported = supported_ops({.units = 100, .compute_capability = 80});
  const ProbeLimits limits{
      .memory = gibibytes(2), .operations = Flops{1e13}, .units = 100, .supported = supported};
  int copies = 0;
  for (const Probe& probe : probe_list(Extent::full, limits)) {
    if (probe.op == "inflight_copy") {
      ++copies;
      CHECK(probe.m < 4 * 100);
      CHECK(probe.read.value == 4.0 * (1 << 24));
    }
  }
  CHECK(copies == 9);
}

TEST_CASE("latency kernels: the last line of a chain is the reference's") {
  const CudaKernel* kernel = find_cuda_kernel("latency_read", "fp32", {.units = 1, .compute_capability = 80});
  REQUIRE(kernel != nullptr);
  const Probe probe{.m = 3, .n = 1024};  // 32 lines

  const std::uint64_t last = next_line(next_line(next_line(0x80808080U % 32, 32), 32), 32);

  CHECK(kernel->expected(probe, {}, {}, 0).value == static_cast<double>(last));
}

}  // namespace
}  // namespace roofcast
