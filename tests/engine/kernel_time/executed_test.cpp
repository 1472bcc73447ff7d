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

TEST_CASE("executed_macs: the share applies to recomputed products too") {
  BoundKernel kernel = attention(256, 256, true);
  kernel.recomputed_macs = 20;

  CHECK(executed_macs(kernel) == 120.0 * 3 / 4);
}

}  // namespace
}  // namespace roofcast
