#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");
const Expr t = sym("t");

ToyNode lstm(Task task = Task::inference) {
  return {"lstm", {real({n, t, 100})}, attributes({{"hidden", Expr{200}}}), task};
}

Expr total_macs(const std::vector<KernelSpec>& kernels) {
  Expr total{0};
  for (const KernelSpec& kernel : kernels) total += kernel.count * kernel.macs;
  return total;
}

TEST_CASE("lstm: a state per step") {
  CHECK(lstm().output() == Shape{n, t, 200});
}

TEST_CASE("lstm: four gates' weights for inputs and states, and two biases") {
  const ToyNode node = lstm();

  CHECK(node.parameters() == 4);
  CHECK(node.parameter(0) == Shape{4 * 200, 100});
  CHECK(node.parameter(1) == Shape{4 * 200, 200});
  CHECK(node.parameter(2) == Shape{4 * 200});
  CHECK(node.parameter(3) == Shape{4 * 200});
}

TEST_CASE("lstm: multiplies inputs and states by four gates' weights in each step but the first") {
  CHECK(total_macs(lstm().kernels()) == n * t * Expr{4 * 200 * (100 + 200)});
}

TEST_CASE("lstm: one product for all inputs, then a product and a cell for each step") {
  const auto kernels = lstm().kernels();

  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].count.is(1));
  CHECK(std::get<Gemm<Expr>>(kernels[0].form).m == n * t);
  CHECK(kernels[1].count == t);
  CHECK(std::get<Gemm<Expr>>(kernels[1].form).m == n);
  CHECK(kernels[2].count == t);
}

TEST_CASE("lstm: training keeps gates and cells of each step") {
  CHECK(lstm().outputs() == 1);
  REQUIRE(lstm(Task::training).outputs() == 3);
  CHECK(lstm(Task::training).output(1) == Shape{n, t, 4 * 200});
  CHECK(lstm(Task::training).output(2) == Shape{n, t, 200});
}

TEST_CASE("lstm: the backward pass names the input and all four parameters") {
  CHECK(lstm(Task::training).gradient() ==
        Steps{"lstm_backward(gradient 0, parameter 1, output 1, output 2) -> -",
              "linear_input_gradient(step 0, parameter 0) -> input 0",
              "linear_weight_gradient(step 0, input 0) -> parameter 0",
              "linear_weight_gradient(step 0, output 0) -> parameter 1", "sum_to(step 0) -> parameter 2",
              "sum_to(step 0) -> parameter 3"});
}

TEST_CASE(
    "lstm_backward: the state's gradient goes through the recurrent weights in each step but the first") {
  const ToyNode node{"lstm_backward",
                     {real({n, t, 200}), real({800, 200}), real({n, t, 800}), real({n, t, 200})}};

  CHECK(node.output() == Shape{n, t, 4 * 200});
  CHECK(total_macs(node.kernels()) == n * (t - Expr{1}) * Expr{4 * 200 * 200});
}

TEST_CASE("gru and rnn: three gates and one, with their own backward passes") {
  const ToyNode gru{"gru", {real({n, t, 100})}, attributes({{"hidden", Expr{200}}}), Task::training};
  const ToyNode rnn{"rnn", {real({n, t, 100})}, attributes({{"hidden", Expr{200}}}), Task::training};

  CHECK(total_macs(gru.kernels()) == n * t * Expr{3 * 200 * (100 + 200)});
  CHECK(total_macs(rnn.kernels()) == n * t * Expr{1 * 200 * (100 + 200)});
  CHECK(gru.gradient()[0] == "gru_backward(gradient 0, parameter 1, output 1, output 2) -> -");
  CHECK(rnn.gradient()[0] == "rnn_backward(gradient 0, parameter 1, output 0) -> -");
  CHECK(rnn.outputs() == 1);  // its states are all that the backward pass needs
}

TEST_CASE("lstm: two directions have weights of their own and put their states side by side") {
  const ToyNode node{"lstm",
                     {real({n, t, 100})},
                     attributes({{"hidden", Expr{200}}, {"directions", Expr{2}}}),
                     Task::training};

  CHECK(node.output() == Shape{n, t, 2 * 200});
  CHECK(node.parameter(0) == Shape{2 * 4 * 200, 100});
  CHECK(node.parameter(1) == Shape{2 * 4 * 200, 200});
  CHECK(total_macs(node.kernels()) == Expr{2} * n * t * Expr{4 * 200 * (100 + 200)});
  CHECK(node.gradient()[3] == "recurrent_weight_gradient(step 0, output 0) -> parameter 1");
}

TEST_CASE("recurrent_weight_gradient: each direction's gates meet only its own states") {
  const ToyNode node{"recurrent_weight_gradient",
                     {real({n, t, 2 * 4 * 200}), real({n, t, 2 * 200})},
                     attributes({{"shape", std::vector<Expr>{Expr{2 * 4 * 200}, Expr{200}}}})};

  CHECK(total_macs(node.kernels()) == Expr{2} * n * t * Expr{4 * 200 * 200});
}

TEST_CASE("lstm: states to start from are inputs, and have gradients") {
  const ToyNode node{"lstm",
                     {real({t, n, 100}), real({1, n, 200}), real({1, n, 200})},
                     attributes({{"hidden", Expr{200}}, {"sequence_first", true}, {"final_states", true}}),
                     Task::training};

  CHECK(node.output(0) == Shape{t, n, 200});
  CHECK(node.output(1) == Shape{1, n, 200});
  CHECK(node.output(3) == Shape{t, n, 4 * 200});
  CHECK(node.gradient()[0] ==
        "lstm_backward(gradient 0, parameter 1, output 3, output 4, gradient 1, gradient 2) -> -, input 1, "
        "input 2");
}

TEST_CASE("lstm: the input has three dimensions") {
  CHECK(ToyNode("lstm", {real({n, 100})}, attributes({{"hidden", Expr{200}}})).complaint() ==
        "m.toml:3:1: error: 'node': input must be [batch, length, features], not [n, 100]\n");
}

}  // namespace
}  // namespace roofcast
