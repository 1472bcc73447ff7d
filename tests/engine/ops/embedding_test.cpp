#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

const Attributes table = attributes({{"num_embeddings", Expr{30522}}, {"embedding_dim", Expr{768}}});

TEST_CASE("embedding: a row per index") {
  const ToyNode node{"embedding", {indices({n, 128})}, table};

  CHECK(node.output() == Shape{n, 128, 768});
  CHECK(node.parameter(0) == Shape{30522, 768});
}

TEST_CASE("embedding: reads the rows that occur, not the table, and multiplies nothing") {
  const ToyNode node{"embedding", {indices({n, 128})}, table};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].macs.is(0));
  CHECK(node.read(kernels[0]) == n * Expr{128} + n * Expr{128 * 768});
  CHECK(node.written(kernels[0]) == n * Expr{128 * 768});
}

TEST_CASE("embedding_bag: sums the rows of each bag") {
  const ToyNode node{"embedding_bag", {indices({n, 20})}, table};

  CHECK(node.output() == Shape{n, 768});
  CHECK(node.read(node.kernels().at(0)) == n * Expr{20} + n * Expr{20 * 768});
  CHECK(node.written(node.kernels().at(0)) == n * Expr{768});
  CHECK(ToyNode("embedding_bag", {indices({n})}, table).complaint() ==
        "m.toml:3:1: error: 'node': input 1 must be [batch, bag], not [n]\n");
}

TEST_CASE("embedding: only the table has a gradient") {
  CHECK(ToyNode("embedding", {indices({n, 128})}, table).gradient() ==
        Steps{"embedding_backward(gradient 0, input 0) -> parameter 0"});
}

TEST_CASE("embedding_backward: zeroes the whole table, then adds the rows that occurred") {
  const ToyNode node{"embedding_backward",
                     {real({n, 128, 768}), indices({n, 128})},
                     attributes({{"shape", Shape{30522, 768}}})};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 2);
  CHECK(node.output() == Shape{30522, 768});
  CHECK(node.written(kernels[0]) == Expr{30522 * 768});
  CHECK(node.read(kernels[1]) == n * Expr{128 * 768 + 128 + 128 * 768});
  CHECK(node.written(kernels[1]) == n * Expr{128 * 768});
}

}  // namespace
}  // namespace roofcast
