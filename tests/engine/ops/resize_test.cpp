#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Sizes = std::vector<Expr>;

const Expr n = sym("n");

ToyNode resize(Attributes given) {
  return {"resize", {real({n, 64, 8, 6})}, std::move(given)};
}

TEST_CASE("resize: by a factor or to a size, one for all axes or one each") {
  CHECK(resize(attributes({{"scale", Expr{2}}})).output() == Shape{n, 64, 16, 12});
  CHECK(resize(attributes({{"scale", Sizes{1, 3}}})).output() == Shape{n, 64, 8, 18});
  CHECK(resize(attributes({{"size", Sizes{32, 24}}})).output() == Shape{n, 64, 32, 24});
  CHECK(resize(attributes({{"size", Expr{7}}})).output() == Shape{n, 64, 7, 7});
}

TEST_CASE("resize: neighbours that are weighed count as operations") {
  const auto operations = [](const char* mode) {
    return resize(attributes({{"scale", Expr{2}}, {"mode", std::string(mode)}})).kernels().at(0).operations;
  };

  CHECK(operations("nearest") == n * Expr{64 * 16 * 12} * Expr{2 * 1});
  CHECK(operations("bilinear") == n * Expr{64 * 16 * 12} * Expr{2 * 4});
  CHECK(operations("bicubic") == n * Expr{64 * 16 * 12} * Expr{2 * 16});
}

TEST_CASE("resize: says what it needs") {
  CHECK(resize({}).complaint() == "m.toml:3:1: error: 'node': give one of 'scale' and 'size'\n");
  CHECK(resize(attributes({{"scale", Expr{2}}, {"size", Expr{2}}})).complaint() ==
        "m.toml:3:1: error: 'node': give one of 'scale' and 'size'\n");
  CHECK(resize(attributes({{"scale", Sizes{2, 2, 2}}})).complaint() ==
        "m.toml:3:1: error: 'node': give one size, or one an axis\n");
  CHECK(resize(attributes({{"scale", Expr{2}}, {"mode", std::string("cubic")}})).complaint() ==
        "m.toml:3:1: error: 'node': unknown mode 'cubic'\n  hint: modes are nearest, bilinear and bicubic\n");
  CHECK(ToyNode("resize", {real({n, 64})}, attributes({{"scale", Expr{2}}})).complaint() ==
        "m.toml:3:1: error: 'node': input 1 must be [batch, channels, spatial...], not [n, 64]\n");
}

TEST_CASE("resize: its gradient needs only the shape") {
  CHECK(resize(attributes({{"scale", Expr{2}}})).gradient() ==
        std::vector<std::string>{"resize_backward(gradient 0) -> input 0"});
}

}  // namespace
}  // namespace roofcast
