#include "engine/base/optimizer.hpp"

#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

const Expr n = sym("n");

KernelSpec step(std::string_view optimizer) {
  return ToyNode{optimizer, {}, attributes({{"elements", n}})}.kernels().at(0);
}

TEST_CASE("optimizer steps: fp32 values read and written per parameter") {
  CHECK(step("sgd").further_bytes_read == n * Expr{2 * 4});  // parameter, gradient
  CHECK(step("sgd").further_bytes_written == n * Expr{1 * 4});
  CHECK(step("momentum").further_bytes_read == n * Expr{3 * 4});
  CHECK(step("momentum").further_bytes_written == n * Expr{2 * 4});
  CHECK(step("adamw").further_bytes_read == n * Expr{4 * 4});
  CHECK(step("adamw").further_bytes_written == n * Expr{3 * 4});
}

TEST_CASE("optimizer steps: only Adam needs a value per parameter on the way") {
  CHECK(step("sgd").workspace_bytes.is(0));
  CHECK(step("adam").workspace_bytes == n * Expr{4});
}

TEST_CASE("state_values: none, one, two") {
  CHECK(state_values(Optimizer::sgd) == 0);
  CHECK(state_values(Optimizer::momentum) == 1);
  CHECK(state_values(Optimizer::adam) == 2);
  CHECK(state_values(Optimizer::adamw) == 2);
}

TEST_CASE("parse_optimizer: reads its own names, and each is an operator") {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::momentum, Optimizer::adam, Optimizer::adamw}) {
    CHECK(parse_optimizer(to_string(optimizer)) == optimizer);
    CHECK(find_operator(to_string(optimizer)) != nullptr);
  }
  CHECK_FALSE(parse_optimizer("Adam").has_value());
}

}  // namespace
}  // namespace roofcast
