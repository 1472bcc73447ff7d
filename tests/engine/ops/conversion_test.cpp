#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

const Expr n = sym("n");

TEST_CASE("cast: the same elements in another type") {
  const ToyNode node{"cast", {real({n, 8})}, attributes({{"dtype", std::string("fp16")}})};

  CHECK(node.output() == Shape{n, 8});
  CHECK(node.infer()->outputs.at(0).type.dtype == DType::fp16);
  CHECK(node.read(node.kernels().at(0)) == n * Expr{8});
  CHECK(node.written(node.kernels().at(0)) == n * Expr{8});
}

TEST_CASE("cast: its gradient goes back to the type it came from") {
  const Attributes to_fp16 = attributes({{"dtype", std::string("fp16")}});
  const NodeView node{.attributes = to_fp16, .inputs = {{.shape = {n}, .dtype = DType::bf16}}};

  const auto steps = find_operator("cast")->gradient(node);

  REQUIRE(steps.size() == 1);
  CHECK(steps[0].op == "cast");
  CHECK(steps[0].attributes.word("dtype") == "bf16");
}

TEST_CASE("quantize: reads twice, once for the range and once to round") {
  const ToyNode node{"quantize", {real({n, 8})}, attributes({{"dtype", std::string("int8")}})};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 2);
  CHECK(node.read(kernels[0]) + node.read(kernels[1]) == n * Expr{2 * 8});
  CHECK(node.written(kernels[0]) + node.written(kernels[1]) == n * Expr{8});
}

TEST_CASE("accumulate: reads both, writes into the first") {
  const ToyNode node{"accumulate", {real({n, 8}), real({n, 8})}};

  CHECK(node.infer()->outputs.at(0).alias.has_value());
  CHECK(node.read(node.kernels().at(0)) == n * Expr{2 * 8});
  CHECK(node.written(node.kernels().at(0)) == n * Expr{8});
}

}  // namespace
}  // namespace roofcast
