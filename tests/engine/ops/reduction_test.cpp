#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

Shape mean(std::int64_t axis, bool keep) {
  return ToyNode{"mean", {real({n, 128, 768})}, attributes({{"axis", Expr{axis}}, {"keep", keep}})}.output();
}

TEST_CASE("mean: the axis goes, or stays with size 1") {
  CHECK(mean(-1, false) == Shape{n, 128});
  CHECK(mean(1, false) == Shape{n, 768});
  CHECK(mean(1, true) == Shape{n, 1, 768});
  CHECK(mean(-3, false) == Shape{128, 768});
}

TEST_CASE("mean: the axis is one of the input's") {
  const auto complaint = [](std::int64_t axis) {
    return ToyNode{"mean", {real({n, 128})}, attributes({{"axis", Expr{axis}}})}.complaint();
  };

  CHECK(complaint(1) == "no mistakes");
  CHECK(complaint(2) == "m.toml:3:1: error: 'node': 'axis' is 2, but the input has 2 dimensions\n");
  CHECK(complaint(-2) == "no mistakes");
  CHECK(complaint(-3) == "m.toml:3:1: error: 'node': 'axis' is -3, but the input has 2 dimensions\n");
  CHECK(ToyNode("mean", {real({n, 128})}, attributes({{"axis", n}})).complaint() ==
        "m.toml:3:1: error: 'node': 'axis' must be a number\n");
  CHECK(ToyNode("sum", {real({})}).complaint() ==
        "m.toml:3:1: error: 'node': input 1 must be at least one dimension, not []\n");
}

TEST_CASE("sum: reads all, writes the rest") {
  const ToyNode node{"sum", {real({n, 128, 768})}};
  const auto kernels = node.kernels();

  CHECK(kernels.at(0).operations == n * Expr{128 * 768});
  CHECK(node.read(kernels[0]) == n * Expr{128 * 768});
  CHECK(node.written(kernels[0]) == n * Expr{128});
}

TEST_CASE("sum: its gradient spreads over the input") {
  CHECK(ToyNode("sum", {real({n, 128})}).gradient() == Steps{"spread(gradient 0) -> input 0"});
}

TEST_CASE("sum_to: is free when only dimensions of size 1 go") {
  const auto sum_to = [](Shape shape) {
    return ToyNode{"sum_to", {real({n, 1, 768})}, attributes({{"shape", std::move(shape)}})};
  };

  CHECK(sum_to({n, 768}).kernels().empty());
  CHECK(sum_to({n, 768}).infer()->outputs.at(0).alias.has_value());
  CHECK(sum_to({768}).kernels().size() == 1);
  CHECK_FALSE(sum_to({768}).infer()->outputs.at(0).alias.has_value());
}

TEST_CASE("sum_channels: one value a channel") {
  CHECK(ToyNode("sum_channels", {real({n, 64, 8, 8})}).output() == Shape{64});
}

}  // namespace
}  // namespace roofcast
