#include <doctest/doctest.h>

#include "engine/lower/program.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

const std::string head = model_head() + input("x", "\"batch\", 8");

Program lowered(std::string_view precision, const std::string& nodes) {
  const auto graph = infer_shapes(load(head + nodes), Task::inference);
  REQUIRE(graph.has_value());
  const PrecisionPolicy& policy = *find_precision(precision);
  return lower(apply_precision(*graph, policy), policy);
}

const Expr batch = Expr::symbol("batch");
const std::string linear = node("fc", "linear", "\"x\"", "out_features = 16");

TEST_CASE("lower: bytes are elements at each tensor's own width") {
  const Program fp32 = lowered("fp32", linear);
  const Program int8 = lowered("int8", linear);

  CHECK(fp32.steps.at(0).kernels.at(0).bytes_read == Expr{4} * (batch * Expr{8} + Expr{16 * 8 + 16}));
  CHECK(fp32.steps[0].kernels[0].bytes_written == Expr{4} * (batch * Expr{16}));
  const Kernel& gemm = int8.steps.at(1).kernels.at(0);
  CHECK(gemm.bytes_read == batch * Expr{8} + Expr{16 * 8} + Expr{2 * 16});
  CHECK(gemm.bytes_written == batch * Expr{2 * 16});
}

TEST_CASE("lower: products run in the arithmetic of their operands") {
  const auto arithmetic = [](std::string_view precision) {
    return lowered(precision, linear).steps.back().kernels.at(0).arithmetic;
  };

  CHECK(arithmetic("fp32") == Arithmetic::vector_fp32);
  CHECK(arithmetic("tf32") == Arithmetic::tensor_tf32);
  CHECK(arithmetic("bf16") == Arithmetic::tensor_bf16);
  CHECK(arithmetic("fp8") == Arithmetic::tensor_fp8);
  CHECK(arithmetic("int8") == Arithmetic::tensor_int8);
}

TEST_CASE("lower: views become steps without kernels") {
  const Program program = lowered("fp32", node("view", "reshape", "\"x\"", "shape = [-1]"));

  REQUIRE(program.steps.size() == 1);
  CHECK(program.steps[0].kernels.empty());
}

TEST_CASE("lower: a step brings the parameters that it is the first to use") {
  const Program program =
      lowered("fp32", node("a", "linear", "\"x\"", "out_features = 8\nbias = false") +
                          node("b", "linear", {}, "out_features = 8\nbias = false\nweights_of = \"a\""));

  CHECK(program.steps.at(0).parameters.is(8 * 8));
  CHECK(program.steps.at(1).parameters.is(0));
}

TEST_CASE("lower: only convolutions and linear layers count as layers") {
  const Program program = lowered("fp32", linear + node("act", "relu"));

  CHECK(program.steps.at(0).layer_elements == batch * Expr{16});
  CHECK(program.steps.at(1).layer_elements.is(0));
}

}  // namespace
}  // namespace roofcast
