#include "kernels/cuda/rate.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/mma.hpp"
#include "kernels/probe_list.hpp"

namespace roofcast {
namespace {

TEST_CASE("fragments: the lanes of a warp hold each word of both tiles and each result once") {
  std::set<int> first;
  std::set<int> second;
  std::set<int> results;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) first.insert(first_tile_word(lane, i));
    for (int i = 0; i < 2; ++i) second.insert(second_tile_word(lane, i));
    for (int i = 0; i < 4; ++i) results.insert(result_tile_place(lane, i));
  }
  CHECK(first.size() == 16 * 8);
  CHECK(*first.rbegin() == 16 * 8 - 1);
  CHECK(second.size() == 8 * 8);
  CHECK(*second.rbegin() == 8 * 8 - 1);
  CHECK(results.size() == 16 * 8);
  CHECK(*results.rbegin() == 16 * 8 - 1);
}

// As the manual of PTX writes them down for each shape, with g = lane / 4, t = lane mod 4 and i counting
// values.
struct Place {
  int row = 0;
  int column = 0;
};

Place manual_first(int size, int lane, int i) {
  const int g = lane / 4;
  const int t = lane % 4;
  if (size == 4) return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};  // m16n8k8
  if (size == 2)                                                            // m16n8k16
    return {i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  return {i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0)};  // m16n8k32
}

Place manual_second(int size, int lane, int i) {
  const int g = lane / 4;
  const int t = lane % 4;
  if (size == 4) return {i == 0 ? t : t + 4, g};
  if (size == 2) return {t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g};
  return {t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g};
}

TEST_CASE("fragments: a warp as the manual describes it computes the product of both tiles") {
  for (const int size : {4, 2, 1}) {
    CAPTURE(size);
    const int in_word = 4 / size;
    const int depth = 8 * in_word;
    const auto a = [&](int row, int k) {
      return random_bell(1, static_cast<std::uint64_t>(row * depth + k));
    };
    const auto b = [&](int k, int column) {
      return random_bell(2, static_cast<std::uint64_t>(column * depth + k));
    };
    // What lanes hold, loaded by our tables, put where the manual says that it counts.
    std::vector<float> first(static_cast<std::size_t>(16 * depth), 99);
    std::vector<float> second(static_cast<std::size_t>(depth * 8), 99);
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4 * in_word; ++i) {
        const int place = first_tile_word(lane, i / in_word) * in_word + i % in_word;
        const Place counts = manual_first(size, lane, i);
        first.at(static_cast<std::size_t>(counts.row * depth + counts.column)) =
            a(place / depth, place % depth);
      }
      for (int i = 0; i < 2 * in_word; ++i) {
        const int place = second_tile_word(lane, i / in_word) * in_word + i % in_word;
        const Place counts = manual_second(size, lane, i);
        second.at(static_cast<std::size_t>(counts.row * 8 + counts.column)) = b(place % depth, place / depth);
      }
    }
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        double sum = 0;
        double expected = 0;
        for (int k = 0; k < depth; ++k) {
          sum += static_cast<double>(first[static_cast<std::size_t>(row * depth + k)]) *
                 second[static_cast<std::size_t>(k * 8 + column)];
          expected += static_cast<double>(a(row, k)) * b(k, column);
        }
        CHECK(sum == doctest::Approx(expected));
      }
    }
  }
}

// As the manual of PTX writes down the tiles of compute capability 7.5: word 0 or 1 of the first tile, of
// which each is a pair of fp16 or four of int8.
Place first_of_m16n8k8(int lane, int i) {
  return {i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)};
}
Place second_of_m16n8k8(int lane, int i) {
  return {lane % 4 * 2 + i, lane / 4};
}
Place first_of_m8n8k16(int lane, int i) {
  return {lane / 4, lane % 4 * 4 + i};
}
Place second_of_m8n8k16(int lane, int i) {
  return {lane % 4 * 4 + i, lane / 4};
}

TEST_CASE("fragments: the smaller tiles of 7.5 are parts of the larger ones, word by word") {
  for (int lane = 0; lane < 32; ++lane) {
    for (int half = 0; half < 2; ++half) {
      for (int i = 0; i < 4; ++i) {  // words 2 half and 2 half + 1 of fp16: k from 8 half on
        const Place whole = manual_first(2, lane, 4 * half + i);
        const Place part = first_of_m16n8k8(lane, i);
        CHECK(whole.row == part.row);
        CHECK(whole.column == part.column + 8 * half);
      }
      for (int i = 0; i < 2; ++i) {
        const Place whole = manual_second(2, lane, 2 * half + i);
        const Place part = second_of_m16n8k8(lane, i);
        CHECK(whole.row == part.row + 8 * half);
        CHECK(whole.column == part.column);
      }
      for (int i = 0; i < 4; ++i) {  // word 2 half + rows of int8: k from 16 half on, rows from 8 rows on
        for (int rows = 0; rows < 2; ++rows) {
          const Place whole = manual_first(1, lane, 4 * (2 * half + rows) + i);
          const Place part = first_of_m8n8k16(lane, i);
          CHECK(whole.row == part.row + 8 * rows);
          CHECK(whole.column == part.column + 16 * half);
        }
        const Place whole = manual_second(1, lane, 4 * half + i);
        const Place part = second_of_m8n8k16(lane, i);
        CHECK(whole.row == part.row + 16 * half);
        CHECK(whole.column == part.column);
      }
    }
    // Sums of m8n8k16 are those of row lane / 4 and columns 2 (lane mod 4) and the next, as sums 0 and 1 are.
    for (int rows = 0; rows < 2; ++rows) {
      for (int i = 0; i < 2; ++i)
        CHECK(result_tile_place(lane, 2 * rows + i) == (lane / 4 + 8 * rows) * 8 + 2 * (lane % 4) + i);
    }
  }
}

TEST_CASE("rate_mma: fp16 and int8 from compute capability 7.5 on, others from 8.0 or 8.9") {
  const auto has = [](const char* precision, int capability) {
    return find_cuda_kernel("rate_mma", precision, {.compute_capability = capability}) != nullptr;
  };
  CHECK(has("fp16", 75));
  CHECK(has("int8", 75));
  CHECK_FALSE(has("int8", 70));
  CHECK_FALSE(has("bf16", 75));
  CHECK_FALSE(has("tf32", 75));
  CHECK(has("tf32", 80));
  CHECK_FALSE(has("fp8", 86));
}

const CudaKernel& kernel_of(std::string_view op, std::string_view precision) {
  const CudaKernel* found = find_cuda_kernel(op, precision, {.units = 2, .compute_capability = 90});
  REQUIRE(found != nullptr);
  return *found;
}

TEST_CASE("rate kernels: the closed forms are what chains of single precision come to") {
  const InputValues inputs = [](std::size_t, std::size_t at) { return input_value(Element::fp32, 3, at); };
  for (const std::int64_t n : {8, 16, 800, 8192}) {
    for (std::size_t at = 0; at < 20; ++at) {
      CAPTURE(n);
      CAPTURE(at);
      const auto input = static_cast<float>(inputs(0, at));
      float sum = 0;
      float exponentials = 0;
      for (int chain = 0; chain < rate_chains; ++chain) {
        float x = MultiplyAddChain::begin(input, chain);
        float y = ExponentialChain::begin(input, chain);
        for (std::int64_t i = 0; i < n / rate_chains; ++i) {
          x = std::fma(MultiplyAddChain::factor, x, input);
          y = std::exp2(-y);
        }
        sum += x;
        exponentials += y;
      }
      const Probe probe{.m = 256, .n = n};
      CHECK(
          sum ==
          doctest::Approx(kernel_of("rate_fma", "fp32").expected(probe, {}, inputs, at).value).epsilon(1e-5));
      CHECK(exponentials ==
            doctest::Approx(kernel_of("rate_exp2", "fp32").expected(probe, {}, inputs, at).value)
                .epsilon(1e-5));
    }
  }
}

TEST_CASE("shared_pack: a warp reads 512 bytes in a row, and all of the memory") {
  std::set<int> seen;
  for (int step = 0; step < 16; ++step) {
    for (int lane = 0; lane < 32; ++lane) {
      CHECK(shared_pack(lane, step) == shared_pack(0, step) + lane);
      seen.insert(shared_pack(lane, step));
    }
  }
  CHECK(seen.size() == shared_packs);
}

TEST_CASE("rate probes: counted by hand, whole blocks, and only where a device names them") {
  const std::vector<SupportedOp> supported = supported_ops({.units = 100, .compute_capability = 89});
  ProbeLimits limits{.memory = gibibytes(2), .operations = Flops{1e13}, .units = 100};
  for (const Probe& probe : probe_list(Extent::full, limits)) CHECK_FALSE(probe.op.starts_with("rate_"));
  limits.supported = supported;

  std::set<std::string> kinds;
  for (const Probe& probe : probe_list(Extent::full, limits)) {
    if (!probe.op.starts_with("rate_")) continue;
    CAPTURE(name(probe));
    kinds.insert(probe.op + " " + probe.precision);
    CHECK(probe.m % (probe.op == "rate_mma" ? mma_threads / 32 : rate_threads) == 0);
    CHECK(probe.n % 8 == 0);
    if (name(probe) == "rate_mma fp16 1600x4096 warm")
      CHECK(probe.operations.value == 2.0 * 16 * 8 * 16 * 1600 * 4096);
    if (name(probe) == "rate_fma fp32 51200x8192 warm") CHECK(probe.operations.value == 2.0 * 51200 * 8192);
  }
  CHECK(kinds.size() == 4 + 5);
}

}  // namespace
}  // namespace roofcast
