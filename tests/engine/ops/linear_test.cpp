#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

ToyNode linear(bool bias = true) {
  return {"linear", {real({n, 128, 256})}, attributes({{"out_features", Expr{64}}, {"bias", bias}})};
}

TEST_CASE("linear: maps the last dimension and keeps the others") {
  CHECK(linear().output() == Shape{n, 128, 64});
  CHECK(linear().parameter(0) == Shape{64, 256});
  CHECK(linear().parameter(1) == Shape{64});
  CHECK(linear().constraints().empty());
}

TEST_CASE("linear: without bias there is one parameter and nothing to add") {
  CHECK(linear(false).parameters() == 1);
  CHECK(linear(false).kernels().at(0).operations.is(0));
}

TEST_CASE("linear: one gemm reads input, weight and bias once and writes the result once") {
  const ToyNode node = linear();
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].macs == n * Expr{128 * 256 * 64});
  CHECK(kernels[0].operations == n * Expr{128 * 64});
  CHECK(node.read(kernels[0]) == n * Expr{128 * 256} + Expr{64 * 256 + 64});
  CHECK(node.written(kernels[0]) == n * Expr{128 * 64});
  const auto& form = std::get<Gemm<Expr>>(kernels[0].form);
  CHECK(form.m == n * Expr{128});
  CHECK(form.n.is(64));
  CHECK(form.k.is(256));
}

TEST_CASE("linear: a vector is a product with one row") {
  const ToyNode node{"linear", {real({256})}, attributes({{"out_features", Expr{64}}})};

  CHECK(node.output() == Shape{64});
  CHECK(node.kernels().at(0).macs.is(256 * 64));
}

TEST_CASE("linear: a scalar has no features") {
  CHECK(ToyNode("linear", {real({})}, attributes({{"out_features", Expr{64}}})).complaint() ==
        "m.toml:3:1: error: 'node': input 1 must be [..., in_features], not []\n");
}

TEST_CASE("linear: the backward pass names input, weight and bias") {
  CHECK(linear().gradient() == Steps{"linear_input_gradient(gradient 0, parameter 0) -> input 0",
                                     "linear_weight_gradient(gradient 0, input 0) -> parameter 0",
                                     "sum_to(gradient 0) -> parameter 1"});
  CHECK(linear(false).gradient().size() == 2);
}

TEST_CASE("linear gradients: each multiplies as much as the forward pass") {
  const ToyNode input{"linear_input_gradient",
                      {real({n, 128, 64}), real({64, 256})},
                      attributes({{"shape", std::vector<Expr>{n, 128, 256}}})};
  const ToyNode weight{"linear_weight_gradient",
                       {real({n, 128, 64}), real({n, 128, 256})},
                       attributes({{"shape", std::vector<Expr>{64, 256}}})};

  CHECK(input.output() == Shape{n, 128, 256});
  CHECK(input.kernels().at(0).macs == n * Expr{128 * 256 * 64});
  CHECK(weight.output() == Shape{64, 256});
  CHECK(weight.kernels().at(0).macs == n * Expr{128 * 256 * 64});
}

// A is [n, 3, 5] and B [n, 5, 7], stored either way round.
ToyNode matmul(bool transpose_a, bool transpose_b) {
  return {"matmul",
          {real(transpose_a ? Shape{n, 5, 3} : Shape{n, 3, 5}),
           real(transpose_b ? Shape{n, 7, 5} : Shape{n, 5, 7})},
          attributes({{"transpose_a", transpose_a}, {"transpose_b", transpose_b}})};
}

TEST_CASE("matmul: all four transposes are the same product") {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      CAPTURE(transpose_a);
      CAPTURE(transpose_b);
      const ToyNode node = matmul(transpose_a, transpose_b);
      const auto kernels = node.kernels();
      CHECK(node.output() == Shape{n, 3, 7});
      CHECK(node.constraints().empty());
      CHECK(kernels.at(0).macs == n * Expr{3 * 5 * 7});
      CHECK(node.read(kernels[0]) == n * Expr{3 * 5 + 5 * 7});
      CHECK(node.written(kernels[0]) == n * Expr{3 * 7});
    }
  }
}

TEST_CASE("matmul gradients: dA and dB for all four transposes") {
  CHECK(matmul(false, false).gradient() ==
        Steps{"matmul(gradient 0, input 1) -> input 0", "matmul(input 0, gradient 0) -> input 1"});
  CHECK(matmul(false, true).gradient() ==
        Steps{"matmul(gradient 0, input 1) -> input 0", "matmul(gradient 0, input 0) -> input 1"});
  CHECK(matmul(true, false).gradient() ==
        Steps{"matmul(input 1, gradient 0) -> input 0", "matmul(input 0, gradient 0) -> input 1"});
  CHECK(matmul(true, true).gradient() ==
        Steps{"matmul(input 1, gradient 0) -> input 0", "matmul(gradient 0, input 0) -> input 1"});
}

// Runs the steps of a matmul's gradient and returns the shapes and MACs of what they make.
struct Made {
  Shape shape{};
  Expr macs{0};
};

std::vector<Made> run_gradient(bool transpose_a, bool transpose_b, const Shape& a, const Shape& b) {
  const Attributes given = attributes({{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
  NodeView node{.name = "node", .attributes = given, .inputs = {real(a), real(b)}};
  node.outputs = {find_operator("matmul")->infer(node)->outputs.at(0).type};
  std::vector<Made> made;
  std::vector<Made> steps;  // a view carries on what its operand has cost
  for (const GradientStep& step : find_operator("matmul")->gradient(node)) {
    std::vector<TensorType> operands;
    Expr before{0};
    for (const Operand& operand : step.operands) {
      const auto index = static_cast<std::size_t>(operand.index);
      if (operand.from == Operand::From::step) before += steps.at(index).macs;
      operands.push_back(operand.from == Operand::From::gradient ? node.outputs[0]
                         : operand.from == Operand::From::step   ? real(steps.at(index).shape)
                                                                 : node.inputs.at(index));
    }
    const ToyNode product{step.op, operands, step.attributes};
    INFO("transpose_a ", transpose_a, ", transpose_b ", transpose_b, ": ", product.complaint());
    if (!product.infer()) {
      CHECK(product.infer().has_value());
      made.emplace_back();
      continue;
    }
    CHECK(product.constraints().empty());
    const auto kernels = product.kernels();
    steps.push_back({product.output(), kernels.empty() ? before : before + kernels[0].macs});
    if (step.targets.at(0)) made.push_back(steps.back());
  }
  return made;
}

TEST_CASE("matmul gradients: have the shapes of the operands and the MACs of the product") {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const Shape a = transpose_a ? Shape{n, 5, 3} : Shape{n, 3, 5};
      const Shape b = transpose_b ? Shape{n, 7, 5} : Shape{n, 5, 7};
      const auto made = run_gradient(transpose_a, transpose_b, a, b);
      CAPTURE(transpose_a);
      CAPTURE(transpose_b);
      REQUIRE(made.size() == 2);
      CHECK(made[0].shape == a);
      CHECK(made[1].shape == b);
      CHECK(made[0].macs == n * Expr{3 * 5 * 7});
      CHECK(made[1].macs == n * Expr{3 * 5 * 7});
    }
  }
}

TEST_CASE("matmul gradients: a second operand that serves all leading dimensions gets their sum") {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const Shape a = transpose_a ? Shape{n, 5, 3} : Shape{n, 3, 5};
      const Shape b = transpose_b ? Shape{7, 5} : Shape{5, 7};
      const auto made = run_gradient(transpose_a, transpose_b, a, b);
      CAPTURE(transpose_a);
      CAPTURE(transpose_b);
      REQUIRE(made.size() == 2);
      CHECK(made[0].shape == a);
      CHECK(made[1].shape == b);
      CHECK(made[0].macs == n * Expr{3 * 5 * 7});
      CHECK(made[1].macs == n * Expr{3 * 5 * 7});
    }
  }
}

TEST_CASE("matmul: a second operand without leading dimensions is one long product") {
  const ToyNode node{"matmul", {real({n, 3, 5}), real({5, 7})}};
  const auto form = std::get<Gemm<Expr>>(node.kernels().at(0).form);

  CHECK(node.output() == Shape{n, 3, 7});
  CHECK(form.batch.is(1));
  CHECK(form.m == Expr{3} * n);
}

TEST_CASE("matmul: dimensions that may differ are checked at the symbols' values") {
  const ToyNode node{"matmul", {real({n, 3, sym("k")}), real({sym("b"), 5, 7})}};

  CHECK(node.constraints() == Steps{"k = 5: 'node': inner dimensions of the matrix product differ",
                                    "n = b: 'node': leading dimensions of the matrix product differ"});
}

TEST_CASE("matmul: leading dimensions of different number are refused") {
  CHECK(ToyNode("matmul", {real({n, 2, 3, 5}), real({n, 5, 7})}).complaint() ==
        "m.toml:3:1: error: 'node': leading dimensions of the matrix product differ: [n, 2] and [n]\n");
  CHECK(ToyNode("matmul", {real({3, 5}), real({5})}).complaint() ==
        "m.toml:3:1: error: 'node': input 2 must be [..., rows, columns], not [5]\n");
}

}  // namespace
}  // namespace roofcast
