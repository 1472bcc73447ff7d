#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

ToyNode add(Shape left, Shape right) {
  return {"add", {real(std::move(left)), real(std::move(right))}};
}

TEST_CASE("add: dimensions of size 1 and missing ones stretch") {
  CHECK(add({n, 128, 768}, {n, 128, 768}).output() == Shape{n, 128, 768});
  CHECK(add({n, 128, 768}, {768}).output() == Shape{n, 128, 768});
  CHECK(add({768}, {n, 128, 768}).output() == Shape{n, 128, 768});
  CHECK(add({n, 1, 768}, {1, 128, 768}).output() == Shape{n, 128, 768});
  CHECK(add({n, 128}, {}).output() == Shape{n, 128});
  CHECK(add({n, 128, 768}, {n, 128, 768}).constraints().empty());
}

TEST_CASE("add: other dimensions must be equal") {
  CHECK(add({n, 128}, {n, 129}).constraints() ==
        Steps{"128 = 129: 'node': shapes [n, 128] and [n, 129] do not go together"});
  CHECK(add({n, 128}, {sym("m"), 128}).constraints() ==
        Steps{"n = m: 'node': shapes [n, 128] and [m, 128] do not go together"});
}

TEST_CASE("add: a stretched operand is read once, at its own size") {
  const ToyNode node = add({n, 128, 768}, {768});
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].macs.is(0));
  CHECK(kernels[0].operations == n * Expr{128 * 768});
  CHECK(node.read(kernels[0]) == n * Expr{128 * 768} + Expr{768});
  CHECK(node.written(kernels[0]) == n * Expr{128 * 768});
}

TEST_CASE("add: gradients pass through, summed over what was stretched") {
  CHECK(add({n, 768}, {n, 768}).gradient() ==
        Steps{"identity(gradient 0) -> input 0", "identity(gradient 0) -> input 1"});
  CHECK(add({n, 768}, {768}).gradient() ==
        Steps{"identity(gradient 0) -> input 0", "identity(gradient 0) -> -", "sum_to(step 1) -> input 1"});
}

TEST_CASE("sub, mul, div: their gradients name the operands that they need") {
  const std::vector<TensorType> same{real({n, 8}), real({n, 8})};

  CHECK(ToyNode("sub", same).gradient() ==
        Steps{"identity(gradient 0) -> input 0", "scale(gradient 0) -> input 1"});
  CHECK(ToyNode("mul", same).gradient() ==
        Steps{"mul(gradient 0, input 1) -> input 0", "mul(gradient 0, input 0) -> input 1"});
  CHECK(ToyNode("div", same).gradient() == Steps{"div(gradient 0, input 1) -> input 0",
                                                 "mul(step 0, output 0) -> -", "scale(step 1) -> input 1"});
}

TEST_CASE("mul, div: a stretched operand gets the sum of its parts") {
  const std::vector<TensorType> stretched{real({n, 8}), real({8})};

  CHECK(ToyNode("mul", stretched).gradient() == Steps{"mul(gradient 0, input 1) -> input 0",
                                                      "mul(gradient 0, input 0) -> -",
                                                      "sum_to(step 1) -> input 1"});
  CHECK(ToyNode("div", stretched).gradient() == Steps{"div(gradient 0, input 1) -> input 0",
                                                      "mul(step 0, output 0) -> -", "scale(step 1) -> -",
                                                      "sum_to(step 2) -> input 1"});
}

TEST_CASE("scale: one pass over one input") {
  const ToyNode node{"scale", {real({n, 8})}};

  CHECK(node.output() == Shape{n, 8});
  CHECK(node.read(node.kernels().at(0)) == n * Expr{8});
  CHECK(node.gradient() == Steps{"scale(gradient 0) -> input 0"});
}

}  // namespace
}  // namespace roofcast
