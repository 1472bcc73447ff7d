#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;
using Sizes = std::vector<Expr>;

const Expr n = sym("n");

Attributes conv(std::initializer_list<std::pair<const char*, Attribute>> more = {}) {
  Attributes all = attributes({{"out_channels", Expr{64}}, {"kernel", Expr{3}}});
  for (const auto& [name, value] : more) all.set(name, value);
  return all;
}

TEST_CASE("conv: padding of half a window keeps the size") {
  const ToyNode node{"conv", {real({n, 32, 56, 56})}, conv({{"padding", Expr{1}}})};

  CHECK(node.output() == Shape{n, 64, 56, 56});
  CHECK(node.parameter(0) == Shape{64, 32, 3, 3});
  CHECK(node.parameter(1) == Shape{64});
}

TEST_CASE("conv: stride divides and rounds down") {
  const auto size = [](std::int64_t input) {
    return ToyNode{"conv", {real({1, 32, input})}, conv({{"stride", Expr{2}}, {"padding", Expr{1}}})}
        .output()
        .at(2);
  };

  CHECK(size(224).is(112));  // (224 + 2 - 3) / 2 + 1
  CHECK(size(225).is(113));
  CHECK(size(226).is(113));
}

TEST_CASE("conv: dilation spreads the window") {
  const ToyNode node{"conv", {real({n, 32, 56, 56})}, conv({{"dilation", Sizes{2, 3}}})};

  CHECK(node.output() == Shape{n, 64, 56 - 2 * 2, 56 - 3 * 2});
  CHECK(node.kernels().at(0).macs == n * Expr{64 * 52 * 50 * 32 * 3 * 3});
}

TEST_CASE("conv: sizes of their own for each axis") {
  const ToyNode node{"conv",
                     {real({n, 3, 10, 20, 30})},
                     attributes({{"out_channels", Expr{8}},
                                 {"kernel", Sizes{1, 2, 3}},
                                 {"stride", Sizes{1, 2, 3}},
                                 {"bias", false}})};

  CHECK(node.output() == Shape{n, 8, 10, 10, 10});
  CHECK(node.kernels().at(0).macs == n * Expr{8 * 10 * 10 * 10 * 3 * 1 * 2 * 3});
}

TEST_CASE("conv: counts output positions times window times input channels, reads everything once") {
  const ToyNode node{"conv", {real({n, 32, 56, 56})}, conv({{"padding", Expr{1}}})};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].macs == n * Expr{64 * 56 * 56} * Expr{32 * 3 * 3});
  CHECK(kernels[0].operations == n * Expr{64 * 56 * 56});
  CHECK(node.read(kernels[0]) == n * Expr{32 * 56 * 56} + Expr{64 * 32 * 3 * 3 + 64});
  CHECK(node.written(kernels[0]) == n * Expr{64 * 56 * 56});
}

TEST_CASE("conv: groups divide weights and MACs") {
  const ToyNode node{"conv", {real({n, 32, 56, 56})}, conv({{"padding", Expr{1}}, {"groups", Expr{4}}})};

  CHECK(node.parameter(0) == Shape{64, 32 / 4, 3, 3});
  CHECK(node.kernels().at(0).macs == n * Expr{64 * 56 * 56} * Expr{32 / 4 * 3 * 3});
}

TEST_CASE("conv: depthwise multiplies one channel by one window") {
  const ToyNode node{"conv", {real({n, 64, 56, 56})}, conv({{"padding", Expr{1}}, {"groups", Expr{64}}})};

  CHECK(node.parameter(0) == Shape{64, 1, 3, 3});
  CHECK(node.kernels().at(0).macs == n * Expr{64 * 56 * 56 * 3 * 3});
}

TEST_CASE("conv: groups must divide the channels on both sides") {
  const auto constraints = [](std::int64_t in, std::int64_t out, std::int64_t groups) {
    return ToyNode{"conv",
                   {real({n, in, 8, 8})},
                   attributes({{"out_channels", Expr{out}}, {"kernel", Expr{1}}, {"groups", Expr{groups}}})}
        .constraints();
  };

  CHECK(constraints(32, 64, 32).empty());
  CHECK(constraints(32, 64, 3) == Steps{"2 = 0: 'node': channels are no multiple of 'groups'",
                                        "1 = 0: 'node': channels are no multiple of 'groups'"});
}

TEST_CASE("conv: symbolic sizes stay symbolic") {
  const Expr size = sym("size");
  const ToyNode node{"conv", {real({n, 3, size, size})}, conv({{"stride", Expr{2}}, {"padding", Expr{1}}})};

  CHECK(node.output().at(2) == floor_divide(size - Expr{1}, Expr{2}) + Expr{1});
}

TEST_CASE("conv: inputs have one to three spatial axes") {
  const std::string rule =
      "m.toml:3:1: error: 'node': input must be [batch, channels, 1 to 3 spatial axes], not ";

  CHECK(ToyNode("conv", {real({n, 3})}, conv()).complaint() == rule + "[n, 3]\n");
  CHECK(ToyNode("conv", {real({n, 3, 9})}, conv()).complaint() == "no mistakes");
  CHECK(ToyNode("conv", {real({n, 3, 9, 9, 9})}, conv()).complaint() == "no mistakes");
  CHECK(ToyNode("conv", {real({n, 3, 9, 9, 9, 9})}, conv()).complaint() == rule + "[n, 3, 9, 9, 9, 9]\n");
}

TEST_CASE("conv: windows have as many sizes as there are axes, and none below one") {
  const auto complaint = [](const char* name, const Attribute& value) {
    return ToyNode{"conv", {real({n, 3, 9, 9})}, conv({{name, value}})}.complaint();
  };

  CHECK(complaint("kernel", Sizes{3, 3, 3}) ==
        "m.toml:3:1: error: 'node': 'kernel' has 3 sizes for 2 spatial axes\n");
  CHECK(complaint("padding", Sizes{}) ==
        "m.toml:3:1: error: 'node': 'padding' has 0 sizes for 2 spatial axes\n");
  const std::string too_small =
      "m.toml:3:1: error: 'node': 'kernel', 'stride' and 'dilation' must be at least 1\n";
  CHECK(complaint("kernel", Expr{0}) == too_small);
  CHECK(complaint("stride", Expr{0}) == too_small);
  CHECK(complaint("dilation", Expr{-1}) == too_small);
  CHECK(complaint("stride", Expr{1}) == "no mistakes");
  CHECK(complaint("padding", Expr{-1}) == "m.toml:3:1: error: 'node': 'padding' must not be negative\n");
  CHECK(complaint("padding", Expr{0}) == "no mistakes");
}

TEST_CASE("conv: the backward pass names input, weight and bias") {
  CHECK(ToyNode("conv", {real({n, 32, 56, 56})}, conv()).gradient() ==
        Steps{"conv_input_gradient(gradient 0, parameter 0) -> input 0",
              "conv_weight_gradient(gradient 0, input 0) -> parameter 0",
              "sum_channels(gradient 0) -> parameter 1"});
  CHECK(ToyNode("conv", {real({n, 32, 56, 56})}, conv({{"bias", false}})).gradient().size() == 2);
}

TEST_CASE("conv gradients: each multiplies as much as the forward pass") {
  Attributes grouped = conv({{"padding", Expr{1}}, {"stride", Expr{2}}, {"groups", Expr{4}}});
  const Shape input{n, 32, 56, 56};
  const Shape output = ToyNode("conv", {real(input)}, grouped).output();
  const Shape weight{64, 32 / 4, 3, 3};
  const Expr macs = n * Expr{64 * 28 * 28} * Expr{32 / 4 * 3 * 3};

  grouped.set("shape", input);
  const ToyNode input_gradient{"conv_input_gradient", {real(output), real(weight)}, grouped};
  grouped.set("shape", weight);
  const ToyNode weight_gradient{"conv_weight_gradient", {real(output), real(input)}, grouped};

  CHECK(input_gradient.output() == input);
  CHECK(input_gradient.kernels().at(0).macs == macs);
  CHECK(weight_gradient.output() == weight);
  CHECK(weight_gradient.kernels().at(0).macs == macs);
}

TEST_CASE("conv_transpose: undoes the size of a convolution") {
  const auto size = [](std::int64_t output_padding) {
    return ToyNode{"conv_transpose",
                   {real({n, 64, 7})},
                   attributes({{"out_channels", Expr{32}},
                               {"kernel", Expr{3}},
                               {"stride", Expr{2}},
                               {"padding", Expr{1}},
                               {"output_padding", Expr{output_padding}}})}
        .output()
        .at(2);
  };

  CHECK(size(0).is((7 - 1) * 2 - 2 * 1 + (3 - 1) + 1));
  CHECK(size(1).is(14));
}

TEST_CASE("conv_transpose: each input position multiplies a whole window for each output channel") {
  const ToyNode node{
      "conv_transpose",
      {real({n, 64, 7, 7})},
      attributes(
          {{"out_channels", Expr{32}}, {"kernel", Expr{2}}, {"stride", Expr{2}}, {"dilation", Expr{1}}})};
  const auto kernels = node.kernels();

  CHECK(node.output() == Shape{n, 32, 14, 14});
  CHECK(node.parameter(0) == Shape{64, 32, 2, 2});
  CHECK(kernels.at(0).macs == n * Expr{64 * 7 * 7} * Expr{32 * 2 * 2});
  CHECK(node.read(kernels[0]) == n * Expr{64 * 7 * 7} + Expr{64 * 32 * 2 * 2 + 32});
  CHECK(node.written(kernels[0]) == n * Expr{32 * 14 * 14});
}

TEST_CASE("conv_transpose: groups divide weights and MACs") {
  const ToyNode node{"conv_transpose",
                     {real({n, 64, 7, 7})},
                     attributes({{"out_channels", Expr{32}}, {"kernel", Expr{2}}, {"groups", Expr{8}}})};

  CHECK(node.parameter(0) == Shape{64, 32 / 8, 2, 2});
  CHECK(node.kernels().at(0).macs == n * Expr{64 * 7 * 7} * Expr{32 / 8 * 2 * 2});
}

TEST_CASE("conv_transpose: output padding has one size an axis") {
  CHECK(ToyNode("conv_transpose", {real({n, 3, 9, 9})}, conv({{"output_padding", Sizes{1, 1, 1}}}))
            .complaint() == "m.toml:3:1: error: 'node': 'output_padding' needs one size an axis\n");
}

TEST_CASE("conv_transpose: its gradients multiply as much as it does") {
  Attributes given = attributes({{"out_channels", Expr{32}}, {"kernel", Expr{2}}, {"stride", Expr{2}}});
  const Expr macs = n * Expr{64 * 7 * 7} * Expr{32 * 2 * 2};
  given.set("shape", Shape{n, 64, 7, 7});
  const ToyNode input{"conv_transpose_input_gradient", {real({n, 32, 14, 14}), real({64, 32, 2, 2})}, given};
  given.set("shape", Shape{64, 32, 2, 2});
  const ToyNode weight{"conv_transpose_weight_gradient", {real({n, 32, 14, 14}), real({n, 64, 7, 7})}, given};

  CHECK(input.kernels().at(0).macs == macs);
  CHECK(weight.kernels().at(0).macs == macs);
  CHECK(ToyNode("conv_transpose", {real({n, 64, 7, 7})}, given).gradient() ==
        Steps{"conv_transpose_input_gradient(gradient 0, parameter 0) -> input 0",
              "conv_transpose_weight_gradient(gradient 0, input 0) -> parameter 0",
              "sum_channels(gradient 0) -> parameter 1"});
}

}  // namespace
}  // namespace roofcast
