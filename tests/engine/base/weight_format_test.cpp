#include "engine/base/weight_format.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("scale_bytes: a scale and a zero point for each group") {
  CHECK(scale_bytes(Expr{1024}, {.group = 128, .bits = 16 + 4}).is(8 * 20 / 8));
  CHECK(scale_bytes(Expr{1025}, {.group = 128, .bits = 16 + 4}).is(23));  // 9 groups of 20 bits, rounded up
}

TEST_CASE("scale_bytes: double quantisation has scales of scales") {
  CHECK(scale_bytes(Expr{64 * 512}, {.group = 64, .bits = 8, .outer_group = 256, .outer_bits = 32})
            .is(512 + 2 * 4));
}

TEST_CASE("scale_bytes: without groups there is nothing to store") {
  CHECK(scale_bytes(Expr{1024}, {}).is(0));
}

}  // namespace
}  // namespace roofcast
