#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");
const Expr past = sym("past");

ToyNode cache(const Expr& cached, const Expr& window = Expr{0}) {
  return {
      "kv_cache", {real({n, 3, 64})}, attributes({{"past", past}, {"cached", cached}, {"window", window}})};
}

TEST_CASE("kv_cache: hands on the past rows and the new ones") {
  CHECK(cache(Expr{1}).output() == Shape{n, past + Expr{3}, 64});
}

TEST_CASE("kv_cache: keeps as many rows, as state that is neither learned nor stored with the model") {
  const auto inference = cache(Expr{1}).infer();

  REQUIRE(inference->parameters.size() == 1);
  CHECK((inference->parameters[0].kind == ParameterKind::cache));
  CHECK(inference->parameters[0].type.shape == Shape{n, past + Expr{3}, 64});
}

TEST_CASE("kv_cache: without a cache it keeps nothing") {
  CHECK(elements(cache(Expr{0}).parameter(0)).is(0));
}

TEST_CASE("kv_cache: under a window it keeps no more rows than that") {
  const Shape kept = cache(Expr{1}, Expr{1024}).parameter(0);

  CHECK(kept[1].evaluate({{"past", 10}}).value() == 13);
  CHECK(kept[1].evaluate({{"past", 5000}}).value() == 1024);
}

TEST_CASE("kv_cache: writes the new rows, not the old ones") {
  const ToyNode node = cache(sym("cached"));
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 1);
  CHECK(node.read(kernels[0]) == n * Expr{3 * 64});
  CHECK(node.written(kernels[0]) == n * Expr{3 * 64});
  CHECK(kernels[0].count == sym("cached"));  // no launch without a cache
}

TEST_CASE("kv_cache: its switch is 0 or 1, and past tokens need it") {
  CHECK(cache(sym("c")).constraints() == Steps{"c*c = c: 'node': 'cached' is neither 0 nor 1",
                                               "c*past = past: 'node': 'past' needs 'cached = 1'"});
  CHECK(cache(Expr{1}).constraints().empty());
}

TEST_CASE("kv_cache: the gradient passes") {
  CHECK(cache(Expr{0}).gradient() == Steps{"reshape(gradient 0) -> input 0"});
}

TEST_CASE("kv_cache: takes one projection") {
  CHECK(ToyNode("kv_cache", {real({n, 64})}, attributes({{"past", past}})).complaint() ==
        "m.toml:3:1: error: 'node': the input must be [batch, length, width], not [n, 64]\n");
}

}  // namespace
}  // namespace roofcast
