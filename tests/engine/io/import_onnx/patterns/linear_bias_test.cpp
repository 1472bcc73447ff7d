#include "tests/engine/io/import_onnx/onnx_graph.hpp"

namespace roofcast::onnx {
namespace {

TEST_CASE("linear bias: the sum after a product with a stored matrix belongs to the layer") {
  for (const bool bias_first : {false, true}) {
    OnnxGraph file;
    const std::string x = file.input("x", {0, 16, 8});
    const std::string product = file.node("MatMul", {x, file.weight("w", {8, 4})});
    const std::string bias = file.weight("b", {4});
    file.output(bias_first ? file.node("Add", {bias, product}) : file.node("Add", {product, bias}));

    const roofcast::Graph graph = file.imported();

    CHECK(working(graph) == std::vector<std::string>{"linear"});
    CHECK(only(graph, "linear").attributes.flag("bias"));
    CHECK(owned_parameters(graph) == 8 * 4 + 4);
    CHECK(macs(graph) == 16 * 8 * 4);
  }
}

TEST_CASE("linear bias: a view between product and sum stays a view") {
  OnnxGraph file;
  const std::string x = file.input("x", {6, 8});
  const std::string product = file.node("MatMul", {x, file.weight("w", {8, 4})});
  file.output(file.node("Add", {file.reshape(product, {2, 3, 4}), file.weight("b", {4})}));

  CHECK(working(file.imported()) == std::vector<std::string>{"linear"});
}

TEST_CASE("linear bias: what is no vector of the features stays a sum") {
  for (const Sizes& sizes : {Sizes{16, 4}, Sizes{16, 1}, Sizes{1}}) {
    OnnxGraph file;
    const std::string x = file.input("x", {2, 16, 8});
    const std::string product = file.node("MatMul", {x, file.weight("w", {8, 4})});
    file.output(file.node("Add", {product, file.weight("positions", sizes)}));

    const roofcast::Graph graph = file.imported();

    CHECK(count_of(graph, "add") == 1);
    CHECK_FALSE(only(graph, "linear").attributes.flag("bias", true));
  }
}

TEST_CASE("linear bias: a product that others read stays without it") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 16, 8});
  const std::string product = file.node("MatMul", {x, file.weight("w", {8, 4})});
  file.output(file.node("Add", {product, file.weight("b", {4})}));
  file.output(product);

  CHECK(working(file.imported()) == std::vector<std::string>{"linear", "add"});
}

TEST_CASE("linear bias: a layer that is used twice with another offset keeps that apart") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 16, 8});
  const std::string weight = file.weight("w", {8, 8});
  const std::string first = file.node("Add", {file.node("MatMul", {x, weight}), file.weight("b", {8})});
  file.output(file.node("Add", {file.node("MatMul", {first, weight}), file.weight("c", {8})}));

  CHECK(working(file.imported()) == std::vector<std::string>{"linear", "linear", "add"});
}

}  // namespace
}  // namespace roofcast::onnx
