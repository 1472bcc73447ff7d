#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

TEST_CASE("softmax: one pass, and its gradient needs the result") {
  const ToyNode node{"softmax", {real({n, 1000})}};

  CHECK(node.output() == Shape{n, 1000});
  CHECK(node.read(node.kernels().at(0)) == n * Expr{1000});
  CHECK(node.written(node.kernels().at(0)) == n * Expr{1000});
  CHECK(node.gradient() == Steps{"softmax_backward(gradient 0, output 0) -> input 0"});
}

TEST_CASE("cross_entropy: a scalar loss, and the log-softmax in fp32 for the gradient") {
  const ToyNode node{"cross_entropy", {real({n, 128, 1000}), indices({n, 128})}};
  const auto inference = node.infer();

  CHECK(node.output() == Shape{});
  CHECK(node.output(1) == Shape{n, 128, 1000});
  CHECK(inference->outputs[1].type.dtype == DType::fp32);
  CHECK(node.constraints().empty());
  CHECK(node.gradient() == Steps{"cross_entropy_backward(gradient 0, output 1, input 1) -> input 0"});
}

TEST_CASE("cross_entropy: reads the logits once and one value a row after that") {
  const ToyNode node{"cross_entropy", {real({n, 1000}), indices({n})}};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 2);
  CHECK(node.read(kernels[0]) == n * Expr{1000});
  CHECK(node.written(kernels[0]) == n * Expr{1000});
  CHECK(node.read(kernels[1]) == n * Expr{1 + 1});
  CHECK(node.written(kernels[1]).is(1));
}

TEST_CASE("cross_entropy: targets have the logits' leading dimensions") {
  CHECK(
      ToyNode("cross_entropy", {real({n, 128, 1000}), indices({n})}).complaint() ==
      "m.toml:3:1: error: 'node': logits and targets differ in their leading dimensions: [n, 128] and [n]\n");
  CHECK(ToyNode("cross_entropy", {real({n, 1000}), indices({sym("m")})}).constraints() ==
        Steps{"n = m: 'node': logits and targets differ in their leading dimensions"});
}

TEST_CASE("cross_entropy_backward: fills a dense gradient and turns it into that of the logits") {
  const ToyNode node{"cross_entropy_backward", {real({}), real({n, 1000}), indices({n})}};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 2);
  CHECK(node.output() == Shape{n, 1000});
  CHECK(node.written(kernels[0]) == n * Expr{1000});
  CHECK(node.read(kernels[1]) == n * Expr{2 * 1000});
  CHECK(kernels[1].workspace_bytes == n * Expr{1000 * 4});
}

TEST_CASE("mse_loss: a scalar from two tensors of one shape") {
  const ToyNode node{"mse_loss", {real({n, 8}), real({n, 8})}};

  CHECK(node.output() == Shape{});
  CHECK(node.read(node.kernels().at(0)) == n * Expr{2 * 8});
  CHECK(node.gradient() == Steps{"elementwise_loss_backward(input 0, input 1, gradient 0) -> input 0"});
  CHECK(ToyNode("mse_loss", {real({n, 8}), real({n})}).complaint() ==
        "m.toml:3:1: error: 'node': predictions and targets differ in shape: [n, 8] and [n]\n");
}

}  // namespace
}  // namespace roofcast
