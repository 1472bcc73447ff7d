#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

const Expr n = sym("n");

const Attributes shape = attributes({{"shape", Shape{1, n}}});

TEST_CASE("parameter: looks into a learned tensor, costs nothing, and is trained") {
  const ToyNode node{"parameter", {}, shape};

  CHECK(node.output() == Shape{1, n});
  CHECK(node.parameter(0) == Shape{1, n});
  CHECK(node.kernels().empty());
  CHECK(node.gradient() == std::vector<std::string>{"identity(gradient 0) -> parameter 0"});
}

TEST_CASE("arange, relative_buckets: indices that nothing flows back through") {
  for (const char* name : {"arange", "relative_buckets"}) {
    CAPTURE(name);
    const ToyNode node{name, {}, shape};
    CHECK(node.infer()->outputs.at(0).type.dtype == DType::int64);
    CHECK(node.gradient().empty());
    CHECK(node.written(node.kernels().at(0)) == n);
  }
}

TEST_CASE("fill: writes and reads nothing") {
  const ToyNode node{"fill", {}, shape};

  CHECK(node.read(node.kernels().at(0)).is(0));
  CHECK(node.written(node.kernels().at(0)) == n);
}

}  // namespace
}  // namespace roofcast
