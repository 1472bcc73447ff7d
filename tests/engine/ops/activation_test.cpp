#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

TEST_CASE("activation: keeps the shape, reads once, writes once") {
  for (const char* name : {"relu", "gelu", "silu", "sigmoid", "tanh", "hardswish", "softplus", "exp"}) {
    CAPTURE(name);
    const ToyNode node{name, {real({n, 768})}};
    const auto kernels = node.kernels();
    REQUIRE(kernels.size() == 1);
    CHECK(node.output() == Shape{n, 768});
    CHECK(kernels[0].macs.is(0));
    CHECK(node.read(kernels[0]) == n * Expr{768});
    CHECK(node.written(kernels[0]) == n * Expr{768});
  }
}

TEST_CASE("activation: operations are per element") {
  CHECK(ToyNode("relu", {real({n, 768})}).kernels().at(0).operations == n * Expr{768});
  CHECK(ToyNode("gelu", {real({n, 768})}).kernels().at(0).operations == n * Expr{768 * 14});
}

TEST_CASE("activation: in place it takes the input's storage") {
  const auto aliases = [](bool inplace) {
    return ToyNode{"relu", {real({n})}, attributes({{"inplace", inplace}})}
        .infer()
        ->outputs.at(0)
        .alias.has_value();
  };

  CHECK(aliases(true));
  CHECK_FALSE(aliases(false));
}

TEST_CASE("activation: keeps for the backward pass what its derivative is computed from") {
  CHECK(ToyNode("relu", {real({n})}).gradient() ==
        Steps{"activation_backward(gradient 0, output 0) -> input 0"});
  CHECK(ToyNode("tanh", {real({n})}).gradient() ==
        Steps{"activation_backward(gradient 0, output 0) -> input 0"});
  CHECK(ToyNode("gelu", {real({n})}).gradient() ==
        Steps{"activation_backward(gradient 0, input 0) -> input 0"});
  CHECK(ToyNode("silu", {real({n})}).gradient() ==
        Steps{"activation_backward(gradient 0, input 0) -> input 0"});
}

TEST_CASE("activation_backward: reads gradient and kept value, writes one gradient") {
  const ToyNode node{
      "activation_backward", {real({n, 8}), real({n, 8})}, attributes({{"function", std::string("gelu")}})};

  CHECK(node.read(node.kernels().at(0)) == n * Expr{2 * 8});
  CHECK(node.written(node.kernels().at(0)) == n * Expr{8});
  CHECK(node.kernels().at(0).operations == n * Expr{8 * (14 + 2)});
}

}  // namespace
}  // namespace roofcast
