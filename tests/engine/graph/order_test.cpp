#include <doctest/doctest.h>

#include "tests/engine/graph/show_graph.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

const std::string head = model_head() + input("x", "\"batch\", 8");

std::vector<std::string> ordered(const Graph& graph) {
  const auto order = execution_order(graph);
  REQUIRE(order.has_value());
  std::vector<std::string> names;
  for (const int index : *order) names.push_back(graph.nodes[static_cast<std::size_t>(index)].name);
  return names;
}

TEST_CASE("execution_order: unrelated nodes keep the order of the file") {
  const Graph graph = load(head + node("c", "relu", "\"x\"") + node("a", "relu", "\"x\"") +
                           node("b", "relu", "\"x\"") + node("d", "add", "\"a\", \"b\""));

  CHECK(ordered(graph) == std::vector<std::string>{"c", "a", "b", "d"});
}

TEST_CASE("execution_order: producers come first wherever they stand") {
  const Graph graph = load(head + node("last", "relu", "\"middle\"") + node("middle", "relu", "\"first\"") +
                           node("first", "relu", "\"x\""));

  CHECK(ordered(graph) == std::vector<std::string>{"first", "middle", "last"});
}

TEST_CASE("execution_order: nodes of a block stay together, at the place of their block") {
  const Graph graph =
      load(head + node("first", "relu", "\"x\"") + node("deep", "pair", "\"first\"", "repeat = 3") +
           node("beside", "relu", "\"x\"") + node("last", "add", "\"deep\", \"beside\"") + block("pair") +
           block_node("one", "relu", "\"x\"") + block_node("two", "relu"));

  CHECK(ordered(graph) == std::vector<std::string>{"first", "beside", "deep.one", "deep.two", "last"});
}

TEST_CASE("execution_order: what a block reads from outside comes before it") {
  const Graph graph =
      load(head + node("deep", "pair", "\"x\", \"late\"", "repeat = 3") + node("late", "relu", "\"x\"") +
           block("pair", "\"x\", \"other\"") + block_node("sum", "add", "\"x\", \"other\""));

  CHECK(ordered(graph) == std::vector<std::string>{"late", "deep.sum"});
}

TEST_CASE("execution_order: a cycle is reported with its members and not with what hangs on it") {
  const Graph graph = load(head + node("start", "relu", "\"x\"") + node("a", "add", "\"start\", \"b\"") +
                           node("b", "relu", "\"a\"") + node("end", "relu", "\"b\""));

  CHECK(to_string(execution_order(graph).error()) ==
        "m.toml:16:8: error: nodes feed each other in a cycle: 'a', 'b'\n"
        "  hint: what repeats is a block with 'repeat', not a cycle\n");
}

TEST_CASE("execution_order: a node that reads itself is a cycle") {
  const Graph graph = load(head + node("a", "relu", "\"a\""));

  CHECK(to_string(execution_order(graph).error()) ==
        "m.toml:11:8: error: nodes feed each other in a cycle: 'a'\n"
        "  hint: what repeats is a block with 'repeat', not a cycle\n");
}

TEST_CASE("execution_order: a block that reads its own result is a cycle") {
  const Graph graph =
      load(head + node("deep", "one", "\"after\"", "repeat = 2") + node("after", "relu", "\"deep\"") +
           block("one") + block_node("r", "relu", "\"x\""));

  CHECK(to_string(execution_order(graph).error()) ==
        "m.toml:16:8: error: nodes feed each other in a cycle: 'after', 'deep'\n"
        "  hint: what repeats is a block with 'repeat', not a cycle\n");
}

TEST_CASE("execution_order: a cycle inside of a block is found") {
  const Graph graph = load(head + node("deep", "one", "\"x\"", "repeat = 2") + block("one") +
                           block_node("a", "add", "\"x\", \"b\"") + block_node("b", "relu", "\"a\""));

  CHECK(to_string(execution_order(graph).error())
            .find("nodes feed each other in a cycle: 'deep.a', 'deep.b'") != std::string::npos);
}

TEST_CASE("execution_order: a long cycle names eight and counts the others") {
  std::string text = head + node("n0", "relu", "\"n9\"");
  for (int i = 1; i < 10; ++i) text += node(fmt::format("n{}", i), "relu", fmt::format("\"n{}\"", i - 1));

  CHECK(to_string(execution_order(load(text)).error())
            .find("in a cycle: 'n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7' and 2 more") !=
        std::string::npos);
}

TEST_CASE("execution_order: no recursion, so a very long chain is fine") {
  std::string text = head + node("n0", "relu", "\"x\"");
  for (int i = 1; i < 20000; ++i) text += node(fmt::format("n{}", i), "relu");

  CHECK(ordered(load(text)).size() == 20000);
}

}  // namespace
}  // namespace roofcast
