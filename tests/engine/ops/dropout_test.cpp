#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

const Expr n = sym("n");

TEST_CASE("dropout: costs nothing in inference") {
  const ToyNode node{"dropout", {real({n, 768})}};

  CHECK(node.outputs() == 1);
  CHECK(node.infer()->outputs[0].alias.has_value());
  CHECK(node.kernels().empty());
}

TEST_CASE("dropout: training reads the input and writes result and mask") {
  const ToyNode node{"dropout", {real({n, 768})}, {}, Task::training};
  const auto kernels = node.kernels();

  REQUIRE(node.outputs() == 2);
  CHECK(node.infer()->outputs[1].type.dtype == DType::boolean);
  REQUIRE(kernels.size() == 1);
  CHECK(node.read(kernels[0]) == n * Expr{768});
  CHECK(node.written(kernels[0]) == n * Expr{2 * 768});
}

TEST_CASE("dropout: keeps the mask, not the input") {
  CHECK(ToyNode("dropout", {real({n})}, {}, Task::training).gradient() ==
        std::vector<std::string>{"mask(gradient 0, output 1) -> input 0"});
}

}  // namespace
}  // namespace roofcast
