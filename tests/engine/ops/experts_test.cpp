#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

// 8 experts, 2 a token; tokens of 64 values.
ToyNode router(bool bias = false) {
  return {
      "router", {real({n, 10, 64})}, attributes({{"experts", Expr{8}}, {"top_k", Expr{2}}, {"bias", bias}})};
}

ToyNode up(bool bias = false, std::int64_t tokens = 10) {
  return {"expert_linear",
          {real({n, tokens, 64}), real({n, tokens, 2})},
          attributes({{"experts", Expr{8}},
                      {"top_k", Expr{2}},
                      {"out_features", Expr{256}},
                      {"bias", bias},
                      {"spread", true}})};
}

ToyNode down() {
  return {"expert_linear",
          {real({n, 10, 2, 256}), real({n, 10, 2})},
          attributes({{"experts", Expr{8}}, {"top_k", Expr{2}}, {"out_features", Expr{64}}})};
}

TEST_CASE("router: weights and indices of the chosen experts") {
  CHECK(router().output(0) == Shape{n, 10, 2});
  CHECK(router().output(1) == Shape{n, 10, 2});
  CHECK((router().infer()->outputs[1].type.dtype == DType::int64));
  CHECK(router().parameter(0) == Shape{8, 64});
  CHECK(router().parameters() == 1);
  CHECK(router(true).parameter(1) == Shape{8});
}

TEST_CASE("router: scores every expert, then a softmax and a choice") {
  const auto kernels = router().kernels();

  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].macs == n * Expr{10 * 64 * 8});
  CHECK(router().read(kernels[0]) == n * Expr{10 * 64} + Expr{8 * 64});
  CHECK(router().written(kernels[2]) == n * Expr{10 * (2 + 2)});
}

TEST_CASE("router: cannot choose more experts than there are") {
  const ToyNode node{"router", {real({n, 64})}, attributes({{"experts", Expr{4}}, {"top_k", sym("k")}})};

  CHECK(node.constraints() == Steps{"min(k, 4) = k: 'node': 'top_k' is more than 'experts'"});
}

TEST_CASE("router: the gradient comes through the weights") {
  CHECK(router(true).gradient() == Steps{"router_backward(gradient 0, output 1, output 2) -> -",
                                         "linear_input_gradient(step 0, parameter 0) -> input 0",
                                         "linear_weight_gradient(step 0, input 0) -> parameter 0",
                                         "sum_to(step 0) -> parameter 1"});
}

TEST_CASE("expert_linear: spreads a row over its experts, or keeps them apart") {
  CHECK(up().output() == Shape{n, 10, 2, 256});
  CHECK(down().output() == Shape{n, 10, 2, 64});
  CHECK(up().parameter(0) == Shape{8, 256, 64});
  CHECK(up(true).parameter(1) == Shape{8, 256});
  CHECK(up().constraints().empty());
  CHECK(down().constraints().empty());
}

TEST_CASE("expert_linear: counts the rows that are routed, not all experts") {
  CHECK(up().kernels().at(0).macs == n * Expr{10 * 2 * 64 * 256});
  CHECK(down().kernels().at(0).macs == n * Expr{10 * 2 * 256 * 64});
}

TEST_CASE("expert_linear: reads the weights of experts that have a row") {
  const ToyNode node = up(true, 3);  // 3 tokens a sequence, 6 rows
  const auto kernels = node.kernels();
  const auto read = [&](std::int64_t sequences) {
    return node.read(kernels.at(0)).evaluate({{"n", sequences}}).value();
  };

  CHECK(read(1) == 3 * 64 + 3 * 2 + 6 * (256 * 64 + 256));        // 6 rows: 6 experts
  CHECK(read(4) == 4 * (3 * 64 + 3 * 2) + 8 * (256 * 64 + 256));  // 24 rows: all 8
}

TEST_CASE("expert_linear: one product for each active expert") {
  const auto gemm = std::get<Gemm<Expr>>(up().kernels().at(0).form);
  const Bindings at{{"n", 1}};

  CHECK(gemm.batch.evaluate(at).value() == 8);
  CHECK(gemm.m.evaluate(at).value() == 3);  // 20 rows over 8 experts
  CHECK(gemm.n == Expr{256});
  CHECK(gemm.k == Expr{64});
}

TEST_CASE("expert_linear: a token needs the weights of its experts") {
  CHECK(*up(true).infer()->parameters[0].used_per_token == Expr{2 * 256 * 64});
  CHECK(*up(true).infer()->parameters[1].used_per_token == Expr{2 * 256});
}

TEST_CASE("expert_linear: gradients are grouped products too; copies of a row add up") {
  CHECK(up(true).gradient() == Steps{"expert_input_gradient(gradient 0, parameter 0, input 1) -> -",
                                     "sum(step 0) -> input 0",
                                     "expert_weight_gradient(gradient 0, input 0, input 1) -> parameter 0",
                                     "expert_bias_gradient(gradient 0, input 1) -> parameter 1"});
  CHECK(down().gradient() == Steps{"expert_input_gradient(gradient 0, parameter 0, input 1) -> input 0",
                                   "expert_weight_gradient(gradient 0, input 0, input 1) -> parameter 0"});
}

TEST_CASE("expert_weight_gradient: writes every expert's, multiplies only what was routed") {
  const ToyNode node{"expert_weight_gradient",
                     {real({n, 10, 2, 256}), real({n, 10, 64}), real({n, 10, 2})},
                     attributes({{"shape", std::vector<Expr>{8, 256, 64}}, {"experts", Expr{8}}})};
  const auto kernels = node.kernels();

  CHECK(kernels.at(0).macs == n * Expr{10 * 2 * 64 * 256});
  CHECK(node.written(kernels[0]) == Expr{8 * 256 * 64});
}

TEST_CASE("expert_linear: rows are those that the router has seen") {
  const ToyNode node{"expert_linear",
                     {real({n, 10, 3, 256}), real({n, 10, 2})},
                     attributes({{"experts", Expr{8}}, {"top_k", Expr{2}}, {"out_features", Expr{64}}})};

  CHECK(node.constraints() == Steps{"3 = 2: 'node': the rows are not those that the router has seen"});
}

TEST_CASE("combine: weighs the experts' results and adds them") {
  const ToyNode node{"combine", {real({n, 10, 2, 64}), real({n, 10, 2})}};

  CHECK(node.output() == Shape{n, 10, 64});
  CHECK(node.kernels().at(0).operations == n * Expr{10 * 2 * 64 * 2});
  CHECK(node.gradient() == Steps{"combine_backward(gradient 0, input 0, input 1) -> input 0, input 1"});
}

}  // namespace
}  // namespace roofcast
