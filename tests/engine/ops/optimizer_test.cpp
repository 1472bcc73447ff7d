#include "engine/base/optimizer.hpp"

#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

const Expr n = sym("n");

std::vector<KernelSpec> passes(std::string_view optimizer) {
  return ToyNode{optimizer, {}, attributes({{"elements", n}})}.kernels();
}

Expr read(std::string_view optimizer) {
  Expr total{0};
  for (const KernelSpec& pass : passes(optimizer)) total += pass.further_bytes_read;
  return total;
}

Expr written(std::string_view optimizer) {
  Expr total{0};
  for (const KernelSpec& pass : passes(optimizer)) total += pass.further_bytes_written;
  return total;
}

TEST_CASE("optimizer steps: fp32 values read and written per parameter, over all passes") {
  CHECK(read("sgd") == n * Expr{2 * 4});  // parameter, gradient
  CHECK(written("sgd") == n * Expr{1 * 4});
  CHECK(read("momentum") == n * Expr{(1 + 2 + 2) * 4});
  CHECK(written("momentum") == n * Expr{3 * 4});
  CHECK(read("adam") == n * Expr{(2 + 1 + 2 + 1 + 1 + 1 + 3) * 4});
  CHECK(written("adam") == n * Expr{7 * 4});
  CHECK(read("adamw") == read("adam") + n * Expr{4});  // weight decay
  CHECK(written("adamw") == n * Expr{8 * 4});
}

TEST_CASE("optimizer steps: only Adam needs a value per parameter on the way") {
  CHECK(passes("sgd").at(0).workspace_bytes.is(0));
  CHECK(passes("adam").at(0).workspace_bytes == n * Expr{4});
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
