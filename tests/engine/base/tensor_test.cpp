#include "engine/base/tensor.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

const Expr n = Expr::symbol("n");

TEST_CASE("elements: the product of the dimensions, 1 for a scalar") {
  CHECK(elements(Shape{n, Expr{3}, Expr{4}}) == Expr{3 * 4} * n);
  CHECK(elements(Shape{}).is(1));
}

TEST_CASE("elements: a range of dimensions leaves the others out") {
  const Shape shape{Expr{2}, Expr{3}, Expr{5}};

  CHECK(elements(shape, 1, 3).is(3 * 5));
  CHECK(elements(shape, 1, 1).is(1));
}

TEST_CASE("storage_bytes: half bytes are rounded up once, for the whole tensor") {
  CHECK(storage_bytes(Expr{8}, DType::int4).is(8 / 2));
  CHECK(storage_bytes(Expr{7}, DType::int4).is(4));
  CHECK(storage_bytes(n, DType::fp32) == Expr{4} * n);
  CHECK(*storage_bytes(n, DType::fp4).evaluate({{"n", 5}}) == 3);
}

TEST_CASE("to_string: shapes are lists of expressions") {
  CHECK(to_string(Shape{n, Expr{2} * n, Expr{768}}) == "[n, 2*n, 768]");
  CHECK(to_string(Shape{}) == "[]");
}

}  // namespace
}  // namespace roofcast
