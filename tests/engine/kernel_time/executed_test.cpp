#include "engine/kernel_time/executed.hpp"

#include <doctest/doctest.h>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

BoundKernel attention(std::int64_t queries, std::int64_t keys, bool causal) {
  return {.form = Attention<std::int64_t>{.query_length = queries, .key_length = keys, .causal = causal},
          .macs = 100};
}

TEST_CASE("executed_macs: a causal mask skips the tiles above the diagonal") {
  CHECK(executed_macs(attention(128, 128, true)) == 100.0);          // one tile: nothing to skip
  CHECK(executed_macs(attention(256, 256, true)) == 100.0 * 3 / 4);  // two a side: 3 of 4
  CHECK(executed_macs(attention(4 * 128, 4 * 128, true)) == 100.0 * 10 / 16);
  CHECK(executed_macs(attention(1 << 20, 1 << 20, true)) == close_to(50.0, 0.001));
}

TEST_CASE("executed_macs: a tile that is not full is a tile") {
  CHECK(executed_macs(attention(129, 129, true)) == 100.0 * 3 / 4);
}

TEST_CASE("executed_macs: without a mask everything is multiplied") {
  CHECK(executed_macs(attention(256, 256, false)) == 100.0);
}

TEST_CASE("executed_macs: one query over a cache sees all keys") {
  CHECK(executed_macs(attention(1, 4096, true)) == 100.0);
}

TEST_CASE("executed_macs: the last queries of many keys see all but a corner") {
  // 2 rows of tiles, 6 tiles before them: rows see 7 and 8 of 8 tiles
  CHECK(executed_macs(attention(256, 1024, true)) == 100.0 * 15 / 16);
}

TEST_CASE("executed_macs: a window moves within a row of tiles") {
  BoundKernel kernel = attention(4096, 4096, false);
  std::get<Attention<std::int64_t>>(kernel.form).window = 1024;

  CHECK(executed_macs(kernel) == 100.0 * (1024 + 127) / 1024);
}

TEST_CASE("executed_macs: under a causal window the first rows see fewer tiles") {
  BoundKernel kernel = attention(512, 512, true);
  std::get<Attention<std::int64_t>>(kernel.form).window = 129;  // and 127 more within the row: 2 tiles

  CHECK(executed_macs(kernel) == close_to(100.0 * (1 + 2 + 2 + 2) / (4 * 129.0 / 128), 1e-9));
}

TEST_CASE("executed_macs: one query under a window multiplies what is counted") {
  BoundKernel kernel = attention(1, 4096, true);
  std::get<Attention<std::int64_t>>(kernel.form).window = 1000;

  CHECK(executed_macs(kernel) == 100.0);
}

TEST_CASE("executed_macs: a window as long as the keys is none") {
  BoundKernel kernel = attention(256, 256, true);
  std::get<Attention<std::int64_t>>(kernel.form).window = 256;

  CHECK(executed_macs(kernel) == 100.0 * 3 / 4);
}

TEST_CASE("executed_macs: the share applies to recomputed products too") {
  BoundKernel kernel = attention(256, 256, true);
  kernel.recomputed_macs = 20;

  CHECK(executed_macs(kernel) == 120.0 * 3 / 4);
}

}  // namespace
}  // namespace roofcast
