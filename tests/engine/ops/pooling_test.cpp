#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;
using Sizes = std::vector<Expr>;

const Expr n = sym("n");

Expr pooled(std::int64_t input, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
            bool ceil_mode) {
  return ToyNode{"max_pool",
                 {real({n, 64, input})},
                 attributes({{"kernel", Expr{kernel}},
                             {"stride", Expr{stride}},
                             {"padding", Expr{padding}},
                             {"ceil_mode", ceil_mode}})}
      .output()
      .at(2);
}

TEST_CASE("pool: windows follow each other unless a stride is given") {
  CHECK(ToyNode("max_pool", {real({n, 64, 8, 6})}, attributes({{"kernel", Sizes{2, 3}}})).output() ==
        Shape{n, 64, 4, 2});
  CHECK(ToyNode("avg_pool", {real({n, 64, 8, 6})}, attributes({{"kernel", Expr{2}}, {"stride", Expr{1}}}))
            .output() == Shape{n, 64, 7, 5});
}

TEST_CASE("pool: ceil_mode keeps a last window that is not full") {
  CHECK(pooled(112, 3, 2, 0, false).is(55));
  CHECK(pooled(112, 3, 2, 0, true).is(56));
  CHECK(pooled(113, 3, 2, 0, false).is(56));
  CHECK(pooled(113, 3, 2, 0, true).is(56));
}

// PyTorch, torch.nn.MaxPool2d: "sliding windows that would start in the right padded region are ignored".
TEST_CASE("pool: ceil_mode drops a window that would start beyond the input") {
  CHECK(pooled(4, 2, 2, 1, true).is(3));
  CHECK(pooled(3, 2, 2, 1, true).is(2));
  CHECK(pooled(3, 1, 3, 0, true).is(1));
}

TEST_CASE("pool: reads the input once, writes the result once, compares each value of a window") {
  const ToyNode node{"max_pool", {real({n, 64, 112, 112})}, attributes({{"kernel", Expr{2}}})};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].macs.is(0));
  CHECK(kernels[0].operations == n * Expr{64 * 56 * 56 * 2 * 2});
  CHECK(node.read(kernels[0]) == n * Expr{64 * 112 * 112});
  CHECK(node.written(kernels[0]) == n * Expr{64 * 56 * 56});
}

TEST_CASE("max_pool: training also keeps where the maxima were") {
  const ToyNode node{"max_pool", {real({n, 64, 8})}, attributes({{"kernel", Expr{2}}}), Task::training};

  REQUIRE(node.outputs() == 2);
  CHECK(node.infer()->outputs[1].type.dtype == DType::int64);
  CHECK(node.output(1) == node.output(0));
  CHECK(node.written(node.kernels().at(0)) == n * Expr{2 * 64 * 4});
  CHECK(node.gradient() == Steps{"pool_backward(gradient 0, output 1, input 0) -> input 0"});
  CHECK(ToyNode("max_pool", {real({n, 64, 8})}, attributes({{"kernel", Expr{2}}})).outputs() == 1);
}

TEST_CASE("avg_pool: its gradient keeps the input, windows or adaptive") {
  CHECK(ToyNode("avg_pool", {real({n, 64, 8})}, attributes({{"kernel", Expr{2}}})).gradient() ==
        Steps{"pool_backward(gradient 0, input 0) -> input 0"});
  CHECK(ToyNode("adaptive_avg_pool", {real({n, 64, 8})}).gradient() ==
        Steps{"pool_backward(gradient 0, input 0) -> input 0"});
}

TEST_CASE("adaptive_avg_pool: one window for all unless 'output' says otherwise") {
  CHECK(ToyNode("adaptive_avg_pool", {real({n, 64, 7, 7})}).output() == Shape{n, 64, 1, 1});
  CHECK(ToyNode("adaptive_avg_pool", {real({n, 64, 9, 9})}, attributes({{"output", Sizes{6, 3}}})).output() ==
        Shape{n, 64, 6, 3});
}

TEST_CASE("adaptive_avg_pool: sizes fit the axes") {
  CHECK(ToyNode("adaptive_avg_pool", {real({n, 64, 9, 9})}, attributes({{"output", Sizes{1, 1, 1}}}))
            .complaint() == "m.toml:3:1: error: 'node': 'output' needs one size a spatial axis\n");
  CHECK(ToyNode("adaptive_avg_pool", {real({n, 64})}).complaint() ==
        "m.toml:3:1: error: 'node': input 1 must be [batch, channels, spatial...], not [n, 64]\n");
}

TEST_CASE("pool_backward: reads gradient and kept indices, not the values of a kept input") {
  const Attributes shape = attributes({{"shape", Shape{n, 64, 8}}});
  const ToyNode of_max{"pool_backward", {real({n, 64, 4}), indices({n, 64, 4}), real({n, 64, 8})}, shape};
  const ToyNode of_mean{"pool_backward", {real({n, 64, 4}), real({n, 64, 8})}, shape};

  CHECK(of_max.read(of_max.kernels().at(0)) == n * Expr{64 * 4 + 64 * 4});
  CHECK(of_mean.read(of_mean.kernels().at(0)) == n * Expr{64 * 4});
  CHECK(of_mean.written(of_mean.kernels().at(0)) == n * Expr{64 * 8});
}

}  // namespace
}  // namespace roofcast
