#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

TEST_CASE("layer_norm: scale and offset per feature, mean and deviation per row") {
  const ToyNode node{"layer_norm", {real({n, 128, 768})}};

  CHECK(node.output() == Shape{n, 128, 768});
  CHECK(node.output(1) == Shape{n, 128});
  CHECK(node.output(2) == Shape{n, 128});
  CHECK(node.parameters() == 2);
  CHECK(node.parameter(0) == Shape{768});
  CHECK(ToyNode("layer_norm", {real({n, 768})}, attributes({{"bias", false}})).parameters() == 1);
  CHECK(ToyNode("layer_norm", {real({n, 768})}, attributes({{"weight", false}})).parameters() == 0);
}

TEST_CASE("layer_norm: one pass over the input") {
  const ToyNode node{"layer_norm", {real({n, 128, 768})}};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 1);
  CHECK(node.read(kernels[0]) == n * Expr{128 * 768} + Expr{2 * 768});
  CHECK(node.written(kernels[0]) == n * Expr{128 * 768 + 2 * 128});
}

TEST_CASE("rms_norm: has a scale and no offset, and keeps one value a row") {
  const ToyNode node{"rms_norm", {real({n, 128, 768})}};

  CHECK(node.parameters() == 1);
  CHECK(node.outputs() == 2);
  CHECK(node.written(node.kernels().at(0)) == n * Expr{128 * 768 + 128});
}

TEST_CASE("batch_norm: two learned values and two running statistics a channel") {
  const ToyNode node{"batch_norm", {real({n, 64, 56, 56})}};
  const auto inference = node.infer();

  REQUIRE(inference->parameters.size() == 4);
  for (const ParameterSpec& parameter : inference->parameters) CHECK(parameter.type.shape == Shape{64});
  CHECK((inference->parameters[1].kind == ParameterKind::learned));
  CHECK((inference->parameters[2].kind == ParameterKind::statistic));
  CHECK((inference->parameters[3].kind == ParameterKind::statistic));
  CHECK(inference->parameters[2].type.dtype == DType::fp32);
}

TEST_CASE("batch_norm: inference reads the input once, training twice") {
  const std::vector<TensorType> input{real({n, 64, 56, 56})};
  const ToyNode inference{"batch_norm", input};
  const ToyNode training{"batch_norm", input, {}, Task::training};

  CHECK(inference.outputs() == 1);
  CHECK(inference.read(inference.kernels().at(0)) == n * Expr{64 * 56 * 56} + Expr{4 * 64});
  CHECK(training.outputs() == 3);
  CHECK(training.read(training.kernels().at(0)) == n * Expr{2 * 64 * 56 * 56} + Expr{4 * 64});
  CHECK(training.written(training.kernels().at(0)) == n * Expr{64 * 56 * 56} + Expr{2 * 64});
}

TEST_CASE("group_norm: groups divide the channels") {
  const auto node = [](std::int64_t groups) {
    return ToyNode{"group_norm", {real({n, 64, 8, 8})}, attributes({{"groups", Expr{groups}}})};
  };

  CHECK(node(32).constraints().empty());
  CHECK(node(32).output(1) == Shape{n, 32});
  CHECK(node(24).constraints() == Steps{"16 = 0: 'node': channels are no multiple of 'groups'"});
}

TEST_CASE("norm: the backward step names input, scale and offset, and reads what was kept") {
  CHECK(ToyNode("layer_norm", {real({n, 8})}).gradient() ==
        Steps{"norm_backward(gradient 0, input 0, parameter 0, output 1, output 2) -> "
              "input 0, parameter 0, parameter 1"});
  CHECK(ToyNode("layer_norm", {real({n, 8})}, attributes({{"weight", false}})).gradient() ==
        Steps{"norm_input_backward(gradient 0, input 0, output 1, output 2) -> input 0"});
  CHECK(ToyNode("rms_norm", {real({n, 8})}).gradient() ==
        Steps{"norm_backward(gradient 0, input 0, parameter 0, output 1) -> input 0, parameter 0"});
  CHECK(ToyNode("batch_norm", {real({n, 8, 4})}, {}, Task::training).gradient() ==
        Steps{"norm_backward(gradient 0, input 0, parameter 0, output 1, output 2) -> "
              "input 0, parameter 0, parameter 1"});
}

TEST_CASE("norm: ranks that make no sense are refused") {
  CHECK(ToyNode("layer_norm", {real({})}).complaint() ==
        "m.toml:3:1: error: 'node': input 1 must be [..., features], not []\n");
  CHECK(ToyNode("batch_norm", {real({n})}).complaint() ==
        "m.toml:3:1: error: 'node': input 1 must be [batch, channels, ...], not [n]\n");
}

}  // namespace
}  // namespace roofcast
