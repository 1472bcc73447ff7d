#include "engine/io/import_onnx/patterns/rewriter.hpp"

#include "tests/engine/io/import_onnx/onnx_graph.hpp"

namespace roofcast::onnx {
namespace {

// x -> a -> b -> c, where `leaves` are the graph's outputs. Values: x 0, a 1, b 2, c 3.
Rewriter line(const std::vector<ValueId>& leaves) {
  roofcast::Graph graph;
  graph.values.resize(4);
  graph.outputs = leaves;
  for (int i = 0; i < 3; ++i) {
    graph.nodes.push_back({.name = std::string(1, static_cast<char>('a' + i)),
                           .op = find_operator("relu"),
                           .inputs = {i},
                           .outputs = {i + 1}});
  }
  return Rewriter(std::move(graph), std::vector<TensorType>(4, TensorType{.shape = {Expr{2}}}));
}

std::vector<std::string> names(const roofcast::Graph& graph) {
  std::vector<std::string> all;
  for (const roofcast::Node& node : graph.nodes) all.push_back(node.name);
  return all;
}

TEST_CASE("Rewriter: what nobody reads any more goes") {
  Rewriter graph = line({3});

  graph.replace(2, "gelu", {}, {0});

  CHECK_FALSE(graph.still_there(0));
  CHECK_FALSE(graph.still_there(1));
  CHECK(graph.readers(0) == std::vector<int>{2});
  CHECK(names(graph.finish()) == std::vector<std::string>{"c"});
}

TEST_CASE("Rewriter: what leaves the graph stays") {
  Rewriter graph = line({1, 3});

  graph.replace(2, "gelu", {}, {0});

  CHECK(names(graph.finish()) == std::vector<std::string>{"a", "c"});
}

TEST_CASE("Rewriter: a chain ends where others need a value") {
  CHECK(line({3}).chain(2, {0}).size() == 3);
  CHECK(line({3}).chain(2, {1}).size() == 2);
  CHECK(line({2, 3}).chain(2, {0}).empty());
  CHECK(line({3}).chain(2, {}).empty());  // runs past the input
}

TEST_CASE("Rewriter: a new node stands before the one that it was made for") {
  Rewriter graph = line({3});

  const ValueId copy = graph.add(1, "contiguous", {}, {1});
  graph.redirect(1, 1, copy);
  const roofcast::Graph result = graph.finish();

  CHECK(names(result) == std::vector<std::string>{"a", "b", "b", "c"});
  CHECK(result.nodes[1].op->name == "contiguous");
  CHECK(result.nodes[2].inputs == std::vector<ValueId>{copy});
}

TEST_CASE("Rewriter: the owner of shared weights stays, under its new number") {
  Rewriter graph = line({3});
  graph.share_weights(2, 1);

  graph.replace(2, "gelu", {}, {0});
  const roofcast::Graph result = graph.finish();

  CHECK(names(result) == std::vector<std::string>{"a", "b", "c"});
  CHECK(result.nodes[2].weights_of == 1);
}

}  // namespace
}  // namespace roofcast::onnx
