#include "kernels/cuda/wgmma.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/probe_list.hpp"

namespace roofcast {
namespace {

TEST_CASE("wgmma_descriptor: fields as the manual of PTX has them") {
  const std::uint64_t descriptor = wgmma_descriptor(0x12400);

  CHECK((descriptor & 0x3FFFU) == 0x1240);               // address / 16
  CHECK((descriptor >> 16U & 0x3FFFU) == 1);             // not used
  CHECK((descriptor >> 32U & 0x3FFFU) == 8 * 128 / 16);  // from 8 rows to the next
  CHECK((descriptor >> 49U & 7U) == 0);                  // offset: tiles lie at multiples of 1024
  CHECK((descriptor >> 62U) == 1);                       // swizzled over 128 bytes
  CHECK(wgmma_descriptor(0x12420) == descriptor + 2);    // a step of 32 bytes
  CHECK((wgmma_descriptor(0x40400) & 0x3FFFU) == 0x40);  // 18 bits
}

TEST_CASE("wgmma_result_place: a group's threads hold each result once") {
  std::set<int> places;
  for (int thread = 0; thread < wgmma_group_threads; ++thread) {
    for (int i = 0; i < 128; ++i) places.insert(wgmma_result_place(thread, i));
  }
  CHECK(places.size() == 64 * 256);
  CHECK(*places.rbegin() == 64 * 256 - 1);
  CHECK(wgmma_result_place(0, 1) == 1);
  CHECK(wgmma_result_place(1, 0) == 2);
  CHECK(wgmma_result_place(0, 2) == 8 * 256);
  CHECK(wgmma_result_place(4, 0) == 1 * 256);
  CHECK(wgmma_result_place(32, 4) == 16 * 256 + 8);
}

/// Byte `at` of k in row `row` of a tile, as a device finds it by a descriptor: rows of 128 bytes, 8 of them
/// and then the next 8 at the stride, and bits 4 to 6 of the address mixed with bits 7 to 9.
std::uint32_t address_of(std::uint64_t descriptor, int row, int at) {
  const auto begin = static_cast<std::uint32_t>(descriptor & 0x3FFFU) << 4U;
  const auto stride = static_cast<std::uint32_t>(descriptor >> 32U & 0x3FFFU) << 4U;
  const std::uint32_t address =
      begin + static_cast<std::uint32_t>(row / 8) * stride + static_cast<std::uint32_t>(row % 8 * 128 + at);
  return address ^ ((address >> 7U & 7U) << 4U);
}

TEST_CASE("wgmma_chunk_place: each chunk of a tile once, and those of 8 rows' columns in different banks") {
  std::set<int> places;
  for (int row = 0; row < wgmma_columns; ++row) {
    for (int chunk = 0; chunk < wgmma_chunks; ++chunk) places.insert(wgmma_chunk_place(row, chunk));
  }
  CHECK(places.size() == 256 * 8);
  CHECK(*places.begin() == 0);
  CHECK(*places.rbegin() == 256 * 8 - 1);

  std::set<int> banks;
  for (int row = 8; row < 16; ++row) banks.insert(wgmma_chunk_place(row, 3) % 8);
  CHECK(banks.size() == 8);
}

TEST_CASE("wgmma_chunk_place: where a device looks for each byte of each step is where it was put") {
  constexpr std::uint32_t tile = 0x2400;  // a multiple of 1024
  for (int step = 0; step < wgmma_steps; ++step) {
    const std::uint64_t descriptor =
        wgmma_descriptor(tile) + static_cast<std::uint64_t>(step) * (wgmma_step_bytes / 16);
    for (int row = 0; row < wgmma_columns; ++row) {
      for (int at = 0; at < wgmma_step_bytes; ++at) {
        const int byte = step * wgmma_step_bytes + at;
        const int put = wgmma_chunk_place(row, byte / 16) * 16 + byte % 16;
        CHECK(address_of(descriptor, row, at) == tile + static_cast<std::uint32_t>(put));
      }
    }
  }
}

TEST_CASE("rate_wgmma: only on 9.0, and each result is that of its group's rows and its block's columns") {
  CHECK(find_cuda_kernel("rate_wgmma", "fp16", {.compute_capability = 89}) == nullptr);
  CHECK(find_cuda_kernel("rate_wgmma", "fp16", {.compute_capability = 100}) == nullptr);
  const CudaKernel* kernel = find_cuda_kernel("rate_wgmma", "fp16", {.compute_capability = 90});
  REQUIRE(kernel != nullptr);
  const Probe probe{.op = "rate_wgmma", .precision = "fp16", .m = 4, .n = 80};
  const auto operands = kernel->inputs(probe, {});
  CHECK(operands[0].values == 4 * 64 * 64);
  CHECK(operands[1].values == 2 * 256 * 64);
  CHECK(kernel->results(probe, {}).values == 4 * 64 * 256);

  // Row 5 of group 3 has ones, and column 7 of block 1 twos.
  const InputValues inputs = [](std::size_t input, std::size_t at) {
    const std::size_t row = at / 64;
    return input == 0 ? (row == 3 * 64 + 5 ? 1.0 : 0.0) : (row == 256 + 7 ? 2.0 : 0.0);
  };
  std::size_t others = 0;
  for (std::size_t at = 0; at < kernel->results(probe, {}).values; ++at) {
    const double value = kernel->expected(probe, {}, inputs, at).value;
    if (at == (3 * 64 + 5) * 256 + 7) {
      CHECK(value == 2.0 * 64 * 2);
    } else if (value != 0) {
      ++others;
    }
  }
  CHECK(others == 0);
}

TEST_CASE("rate_wgmma probes: two groups for each SM, counted by hand") {
  const std::vector<SupportedOp> supported = supported_ops({.units = 132, .compute_capability = 90});
  const ProbeLimits limits{
      .memory = gibibytes(2), .operations = Flops{1e13}, .units = 132, .supported = supported};
  int count = 0;
  for (const Probe& probe : probe_list(Extent::full, limits)) {
    if (probe.op != "rate_wgmma") continue;
    ++count;
    CHECK(probe.m == 2 * 132);
    CHECK(probe.n % wgmma_round == 0);
    if (probe.precision == "bf16") CHECK(probe.operations.value == 2.0 * 64 * 256 * 16 * 264 * 4096);
  }
  CHECK(count == 5);
}

}  // namespace
}  // namespace roofcast
