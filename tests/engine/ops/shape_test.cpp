#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;
using Sizes = std::vector<Expr>;

const Expr n = sym("n");

ToyNode reshape(Shape input, Sizes shape) {
  return {"reshape", {real(std::move(input))}, attributes({{"shape", std::move(shape)}})};
}

TEST_CASE("views: cost nothing and share the input's storage") {
  const std::vector<ToyNode> views = {
      reshape({n, 12}, {n, 3, 4}),
      {"flatten", {real({n, 3, 4})}},
      {"permute", {real({n, 3, 4})}, attributes({{"axes", Sizes{0, 2, 1}}})},
      {"split", {real({n, 12})}, attributes({{"parts", Expr{3}}})},
      {"slice", {real({n, 12})}, attributes({{"length", Expr{4}}})},
      {"expand", {real({n, 1})}, attributes({{"shape", Sizes{n, 12}}})},
      {"identity", {real({n, 12})}},
  };
  for (const ToyNode& view : views) {
    CHECK(view.kernels().empty());
    CHECK(view.infer()->outputs.at(0).alias.has_value());
  }
}

TEST_CASE("reshape: one size may be what is left") {
  CHECK(reshape({n, 3, 4}, {n, -1}).output() == Shape{n, 12});
  CHECK(reshape({n, 3, 4}, {-1}).output() == Shape{Expr{12} * n});
  CHECK(reshape({n, 3, 4}, {n, -1}).constraints().empty());
}

TEST_CASE("reshape: the number of elements stays") {
  CHECK(reshape({n, 12}, {n, 3, 4}).constraints().empty());
  CHECK(reshape({n, 12}, {n, 3, 5}).constraints() ==
        Steps{"12*n = 15*n: 'node': [n, 12] and [n, 3, 5] have different numbers of elements"});
  CHECK(reshape({2, 6}, {5, -1}).constraints() ==
        Steps{"12 = 10: 'node': [2, 6] and [5, 2] have different numbers of elements"});
}

TEST_CASE("reshape: two open sizes are one too many") {
  CHECK(reshape({n, 12}, {-1, 3, -1}).complaint() ==
        "m.toml:3:1: error: 'node': more than one size of the new shape is -1\n");
}

TEST_CASE("flatten: folds from a dimension on, from the second unless told") {
  CHECK(ToyNode("flatten", {real({n, 3, 4, 5})}).output() == Shape{n, 3 * 4 * 5});
  CHECK(ToyNode("flatten", {real({n, 3, 4, 5})}, attributes({{"from", Expr{2}}})).output() ==
        Shape{n, 3, 4 * 5});
  CHECK(ToyNode("flatten", {real({n, 3})}, attributes({{"from", Expr{0}}})).output() == Shape{Expr{3} * n});
  CHECK(ToyNode("flatten", {real({n, 3})}, attributes({{"from", Expr{2}}})).complaint() ==
        "m.toml:3:1: error: 'node': 'from' is 2, but the input has 2 dimensions\n");
}

TEST_CASE("permute: each dimension once") {
  const auto permute = [](Sizes axes) {
    return ToyNode{"permute", {real({n, 3, 4})}, attributes({{"axes", std::move(axes)}})};
  };
  const std::string rule =
      "m.toml:3:1: error: 'node': 'axes' must name each of the 3 dimensions once, from 0\n";

  CHECK(permute({1, 2, 0}).output() == Shape{3, 4, n});
  CHECK(permute({0, 1}).complaint() == rule);
  CHECK(permute({0, 1, 1}).complaint() == rule);
  CHECK(permute({0, 1, 3}).complaint() == rule);
  CHECK(permute({0, 1, 2, 0}).complaint() == rule);
  CHECK(permute({0, 1, n}).complaint() == rule);
}

TEST_CASE("permute: its gradient is the inverse") {
  const Attributes axes = attributes({{"axes", Sizes{1, 2, 0}}});
  const NodeView node{.attributes = axes, .inputs = {real({n, 3, 4})}};

  CHECK(find_operator("permute")->gradient(node).at(0).attributes.sizes("axes") == Sizes{2, 0, 1});
}

TEST_CASE("split: equal parts or sizes") {
  const ToyNode parts{"split", {real({n, 12})}, attributes({{"parts", Expr{3}}})};
  const ToyNode sizes{"split", {real({n, 12})}, attributes({{"sizes", Sizes{8, 2, 2}}})};

  CHECK(parts.outputs() == 3);
  CHECK(parts.output(2) == Shape{n, 4});
  CHECK(sizes.output(0) == Shape{n, 8});
  CHECK(sizes.constraints().empty());
  CHECK(parts.gradient() == Steps{"concat(gradient 0, gradient 1, gradient 2) -> input 0"});
}

TEST_CASE("split: parts add up to the dimension") {
  CHECK(ToyNode("split", {real({n, 12})}, attributes({{"parts", Expr{5}}})).constraints() ==
        Steps{"10 = 12: 'node': the parts do not add up to the dimension"});
  CHECK(ToyNode("split", {real({n, 12})}, attributes({{"sizes", Sizes{8, 5}}})).constraints() ==
        Steps{"13 = 12: 'node': the parts do not add up to the dimension"});
}

TEST_CASE("split: says what it needs") {
  const auto complaint = [](Attributes given) {
    return ToyNode{"split", {real({n, 9999})}, std::move(given)}.complaint();
  };

  CHECK(complaint({}) == "m.toml:3:1: error: 'node': give one of 'parts' and 'sizes'\n");
  CHECK(complaint(attributes({{"parts", Expr{0}}})) ==
        "m.toml:3:1: error: 'node': 'parts' must be a number from 1 to 4096\n");
  CHECK(complaint(attributes({{"parts", Expr{1}}})) == "no mistakes");
  CHECK(complaint(attributes({{"parts", Expr{4096}}})) == "no mistakes");
  CHECK(complaint(attributes({{"parts", Expr{4097}}})) ==
        "m.toml:3:1: error: 'node': 'parts' must be a number from 1 to 4096\n");
  CHECK(complaint(attributes({{"parts", n}})) ==
        "m.toml:3:1: error: 'node': 'parts' must be a number from 1 to 4096\n");
}

TEST_CASE("slice: stays within the dimension") {
  const auto slice = [](std::int64_t start, std::int64_t length) {
    return ToyNode{"slice",
                   {real({n, 12})},
                   attributes({{"start", Expr{start}}, {"length", Expr{length}}, {"axis", Expr{1}}})};
  };

  CHECK(slice(8, 4).output() == Shape{n, 4});
  CHECK(slice(8, 4).constraints().empty());
  CHECK(slice(8, 5).constraints() == Steps{"13 = 12: 'node': the slice leaves the dimension"});
}

TEST_CASE("slice: its gradient zeroes the whole and copies the part") {
  const ToyNode node{"slice_backward", {real({n, 4})}, attributes({{"shape", Sizes{n, 12}}})};
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 2);
  CHECK(node.written(kernels[0]) == n * Expr{12});
  CHECK(node.read(kernels[1]) == n * Expr{4});
  CHECK(node.written(kernels[1]) == n * Expr{4});
}

TEST_CASE("concat: sizes add up along the axis, all is copied once") {
  const ToyNode node{
      "concat", {real({n, 3, 8}), real({n, 4, 8}), real({n, 5, 8})}, attributes({{"axis", Expr{1}}})};

  CHECK(node.output() == Shape{n, 3 + 4 + 5, 8});
  CHECK(node.read(node.kernels().at(0)) == n * Expr{12 * 8});
  CHECK(node.written(node.kernels().at(0)) == n * Expr{12 * 8});
  CHECK(node.gradient() == Steps{"slice(gradient 0) -> input 0", "slice(gradient 0) -> input 1",
                                 "slice(gradient 0) -> input 2"});
}

TEST_CASE("concat: other dimensions must be equal") {
  CHECK(ToyNode("concat", {real({n, 3}), real({sym("m"), 4})}).constraints() ==
        Steps{"n = m: 'node': inputs 1 and 2 differ in dimension 0"});
  CHECK(ToyNode("concat", {real({n, 3}), real({n, 4, 8})}).complaint() ==
        "m.toml:3:1: error: 'node': cannot join [n, 3] and [n, 4, 8]\n");
}

TEST_CASE("expand: stretches dimensions of size 1 and no others") {
  const auto expand = [](Shape input, Sizes shape) {
    return ToyNode{"expand", {real(std::move(input))}, attributes({{"shape", std::move(shape)}})};
  };

  CHECK(expand({1, 8}, {n, 8}).output() == Shape{n, 8});
  CHECK(expand({8}, {n, 8}).output() == Shape{n, 8});
  CHECK(expand({2, 8}, {n, 8}).constraints() ==
        Steps{"n = 2: 'node': shapes [n, 8] and [2, 8] do not go together"});
  CHECK(expand({n, 2, 8}, {2, 8}).complaint() ==
        "m.toml:3:1: error: 'node': 'shape' has fewer dimensions than the input\n");
  CHECK(expand({1, 8}, {n, 8}).gradient() == Steps{"sum_to(gradient 0) -> input 0"});
}

TEST_CASE("contiguous: copies once") {
  const ToyNode node{"contiguous", {real({n, 8})}};

  CHECK(node.read(node.kernels().at(0)) == n * Expr{8});
  CHECK(node.written(node.kernels().at(0)) == n * Expr{8});
}

TEST_CASE("take: picks values out of each row and reads their places") {
  const ToyNode node{"take", {real({n, 26, 26})}, attributes({{"count", Expr{325}}})};

  CHECK(node.output() == Shape{n, 325});
  CHECK(node.read(node.kernels().at(0)) == n * Expr{325});
  CHECK(node.kernels().at(0).further_bytes_read.is(325 * 8));
}

}  // namespace
}  // namespace roofcast
