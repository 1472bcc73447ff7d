#include "engine/base/fnv1a64.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("fnv1a64: the published values") {  // test vectors of the draft's appendix
  CHECK(fnv1a64("") == 0xcbf29ce484222325U);
  CHECK(fnv1a64("a") == 0xaf63dc4c8601ec8cU);
  CHECK(fnv1a64("foobar") == 0x85944171f73967e8U);
}

}  // namespace
}  // namespace roofcast
