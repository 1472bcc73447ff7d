#include <doctest/doctest.h>

#include <algorithm>

#include "tests/engine/graph/show_graph.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

TypedGraph expanded(std::string_view attributes, Task task = Task::inference) {
  const std::string text = model_head() + input("q", "\"batch\", 16, 64") + input("k", "\"batch\", 16, 32") +
                           input("v", "\"batch\", 16, 32") +
                           node("attention", "attention", "\"q\", \"k\", \"v\"", attributes);
  const auto graph = infer_shapes(load(text), task);
  REQUIRE(graph.has_value());
  return expand_attention(*graph);
}

TEST_CASE("expand_attention: scores, softmax and product are operators of their own") {
  const TypedGraph graph = expanded("heads = 8\nkv_heads = 4");

  CHECK(count_of(graph, "attention") == 0);
  CHECK(count_of(graph, "matmul") == 2);
  CHECK(count_of(graph, "softmax") == 1);
  CHECK(to_string(tensor_named(graph, "attention.weights").type.shape) == "[batch, 8, 16, 16]");
  CHECK(to_string(tensor_named(graph, "attention").type.shape) == "[batch, 16, 64]");
}

TEST_CASE("expand_attention: the batched products read copies, and their result is joined by another") {
  constexpr std::size_t joined = 1;
  CHECK(count_of(expanded("heads = 8\nkv_heads = 4"), "expand") == 2);  // shared heads, for each query head
  CHECK(count_of(expanded("heads = 8\nkv_heads = 4"), "contiguous") == 3 + joined);
  CHECK(count_of(expanded("heads = 8"), "expand") == 0);
  CHECK(count_of(expanded("heads = 8"), "contiguous") == 3 + joined);
}

TEST_CASE("expand_attention: a causal mask is one more pass over the scores") {
  CHECK(count_of(expanded("heads = 8\nkv_heads = 4"), "scale") == 1);
  CHECK(count_of(expanded("heads = 8\nkv_heads = 4\ncausal = true"), "scale") == 2);
}

TEST_CASE("expand_attention: weights are dropped in training, where the mask is kept") {
  const TypedGraph graph = expanded("heads = 8\ndropout = 0.1", Task::training);
  REQUIRE(count_of(graph, "dropout") == 1);
  const auto dropout =
      std::ranges::find(graph.nodes, "dropout", [](const TypedNode& n) { return n.op->name; });
  REQUIRE(dropout->outputs.size() == 2);
  CHECK(graph.tensor(dropout->outputs[1]).type.dtype == DType::boolean);
  CHECK(to_string(graph.tensor(dropout->outputs[1]).type.shape) == "[batch, 8, 16, 16]");

  CHECK(count_of(expanded("heads = 8\ndropout = 0.0", Task::training), "dropout") == 0);
  CHECK(count_of(expanded("heads = 8", Task::training), "dropout") == 0);
}

TEST_CASE("expand_attention: under a window only keys that a query sees are multiplied") {
  const std::string text = model_head() + input("q", "\"batch\", 2, 64") + input("k", "\"batch\", 16, 64") +
                           input("v", "\"batch\", 16, 64") +
                           node("attention", "attention", "\"q\", \"k\", \"v\"", "heads = 8\nwindow = 4");
  const TypedGraph graph = expand_attention(*infer_shapes(load(text), Task::inference));

  CHECK(count_of(graph, "slice") == 2);
  CHECK(to_string(tensor_named(graph, "attention.weights").type.shape) == "[batch, 8, 2, 5]");
}

TEST_CASE("expand_attention: other operators stay as they are") {
  const std::string text = model_head() + input("x", "\"batch\", 8") + node("r", "relu", "\"x\"");
  const auto graph = infer_shapes(load(text), Task::inference);

  CHECK(steps(expand_attention(*graph)) == steps(*graph));
}

}  // namespace
}  // namespace roofcast
