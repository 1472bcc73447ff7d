#include "kernels/cuda/attention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "kernels/cuda/attention_share.hpp"
#include "kernels/cuda/cuda_kernel.hpp"
#include "tests/kernels/cuda/fake_team.hpp"

namespace roofcast {
namespace {

template <class Number>
struct alignas(16) Row {
  Number numbers[8];
};

/// Rows of 16 bytes, filled as the device fills an input.
template <class Number>
std::vector<Row<Number>> filled(const Operand& operand, std::uint64_t seed) {
  std::vector<Row<Number>> rows(operand.values / 8);
  for (std::size_t i = 0; i < operand.values; ++i)
    rows[i / 8].numbers[i % 8] = random_number<Number>(seed, i);
  return rows;
}

/// All blocks on the host against the reference in double precision; the largest error over the magnitude.
template <class Number, int head_size>
double largest_error(const Probe& probe) {
  const CudaKernel* kernel = find_cuda_kernel(probe.op, probe.precision, {.compute_capability = 80});
  REQUIRE(kernel != nullptr);
  const auto operands = kernel->inputs(probe, {});
  std::vector<std::vector<Row<Number>>> inputs;
  for (std::size_t i = 0; i < 3; ++i) inputs.push_back(filled<Number>(operands.at(i), i));
  const std::size_t count = kernel->results(probe, {}).values;
  std::vector<Row<Number>> results(count / 8);
  for (Row<Number>& row : results) std::ranges::fill(row.numbers, from_float<Number>(NAN));
  const AttentionArguments arguments{inputs[0].data(), inputs[1].data(), inputs[2].data(),
                                     results.data(),   *probe.attention, probe.op == "attention_prefill"};
  for (int block = 0; block < attention_blocks(*probe.attention); ++block) {
    AttentionTiles<Number, head_size> tiles;
    run_block<Number>(attention_threads, [&](FakeTeam<Number>& team) {
      attention_share<Number, head_size>(team, tiles, arguments, block);
    });
  }
  const InputValues values = [&](std::size_t input, std::size_t at) {
    return static_cast<double>(to_float(inputs[input][at / 8].numbers[at % 8]));
  };
  double largest = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const ExpectedResult expected = kernel->expected(probe, {}, values, at);
    const double found = to_float(results[at / 8].numbers[at % 8]);
    const double rounded = 1.01 * rounding(operands[0].element) * std::abs(expected.value);
    const double error = (std::abs(found - expected.value) - rounded) / expected.magnitude;
    CHECK(std::isfinite(found));
    largest = std::max(largest, error);
  }
  CHECK(largest < kernel->tolerance);
  return largest;
}

Probe attention_probe(const char* op, const char* precision, const AttentionSizes& sizes) {
  return {.op = op,
          .precision = precision,
          .m = std::int64_t{sizes.batch} * sizes.query_length * sizes.heads,
          .n = sizes.head_size,
          .attention = sizes};
}

TEST_CASE("attention_share: a block of host threads computes the softmax of double precision") {
  // Two tiles of queries and keys, the last of both almost empty; two heads share their keys.
  const AttentionSizes ragged{1, 65, 65, 2, 1, 64};
  largest_error<__half, 64>(attention_probe("attention_prefill", "fp16", ragged));
  largest_error<__half, 64>(attention_probe("attention_bidirectional", "fp16", ragged));
}

TEST_CASE("attention_share: large heads, bf16, more keys than queries, several sequences") {
  largest_error<__nv_bfloat16, 128>(attention_probe("attention_prefill", "bf16", {2, 16, 70, 1, 1, 128}));
  largest_error<__nv_bfloat16, 128>(
      attention_probe("attention_bidirectional", "bf16", {1, 10, 130, 1, 1, 128}));
}

TEST_CASE("attention_block: blocks cover each query of each head once and see all of its keys") {
  for (const bool causal : {false, true}) {
    for (const AttentionSizes& sizes :
         {AttentionSizes{2, 200, 200, 3, 1, 64}, AttentionSizes{1, 64, 128, 1, 1, 64},
          AttentionSizes{3, 1, 1, 2, 2, 128}}) {
      CAPTURE(causal);
      std::set<std::vector<int>> seen;
      int longest = 1 << 20;
      for (int number = 0; number < attention_blocks(sizes); ++number) {
        const AttentionBlock block = attention_block(sizes, causal, number);
        CHECK(seen.insert({block.sequence, block.head, block.first_query}).second);
        CHECK(block.sequence < sizes.batch);
        CHECK(block.head < sizes.heads);
        CHECK(block.first_query < sizes.query_length);
        const int last = std::min(block.first_query + attention_tile, sizes.query_length) - 1;
        CHECK(block.key_tiles * attention_tile >= seen_keys(sizes, causal, last));
        CHECK((block.key_tiles - 1) * attention_tile < seen_keys(sizes, causal, last));
        if (causal) CHECK(block.key_tiles <= longest);
        longest = block.key_tiles;
      }
      CHECK(static_cast<int>(seen.size()) ==
            sizes.batch * sizes.heads * ((sizes.query_length + attention_tile - 1) / attention_tile));
    }
  }
}

TEST_CASE("AttentionTiles: each pack has a place, and loads of eight rows have no bank twice") {
  using Tiles = AttentionTiles<__half, 128>;
  std::set<int> places;
  for (int row = 0; row < attention_tile; ++row) {
    for (int pack = 0; pack < 128 / 8; ++pack) places.insert(Tiles::place(row, pack));
  }
  CHECK(places.size() == attention_tile * 128 / 8);
  CHECK(*places.rbegin() == (attention_tile * 128 / 8 - 1) * 8);
  for (int pack = 0; pack < 128 / 8; ++pack) {
    std::set<int> banks;
    for (int row = 8; row < 16; ++row) banks.insert(Tiles::place(row, pack) / 8 % 8);
    CHECK(banks.size() == 8);
  }
}

TEST_CASE("attention kernels: where, and which head sizes") {
  CHECK(find_cuda_kernel("attention_prefill", "fp16", {.compute_capability = 75}) != nullptr);
  CHECK(find_cuda_kernel("attention_prefill", "bf16", {.compute_capability = 75}) == nullptr);
  CHECK(find_cuda_kernel("attention_prefill", "fp32", {.compute_capability = 90}) == nullptr);
}

}  // namespace
}  // namespace roofcast
