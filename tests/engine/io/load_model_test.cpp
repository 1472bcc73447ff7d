#include "engine/io/load_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/decide/estimate.hpp"
#include "engine/graph/typed_graph.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

std::vector<std::string> node_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& made : graph.nodes) names.push_back(made.name);
  return names;
}

const std::string input_x = input("x", "\"batch\", 8");

TEST_CASE("load_model: names, symbols, inputs and places arrive") {
  const Graph graph = load(R"(schema = 1
name = "net"
tokens = "seq"
[symbols]
batch = 2
seq = "4 * batch"
[[input]]
name = "x"
dtype = "int64"
shape = ["batch", "seq"]
[[node]]
name = "view"
op = "reshape"
shape = [-1]
)");

  CHECK(graph.name == "net");
  CHECK(graph.file == "m.toml");
  CHECK(*graph.tokens == Expr::symbol("seq"));
  REQUIRE(graph.symbols.size() == 2);
  CHECK(graph.symbols[0].name == "batch");
  CHECK(graph.symbols[0].free());
  CHECK_FALSE(graph.symbols[1].free());
  CHECK(graph.inputs.at(0).type.dtype == DType::int64);
  CHECK(graph.nodes.at(0).where == Location{"m.toml", 12, 8});
  CHECK(graph.outputs.size() == 1);
}

TEST_CASE(
    "load_model: a node without inputs continues from the one before it, the first from the first input") {
  const Graph graph = load(model_head() + input_x + node("a", "relu") + node("b", "relu"));

  CHECK(graph.nodes.at(0).inputs == std::vector<ValueId>{graph.inputs[0].value});
  CHECK(graph.nodes.at(1).inputs == graph.nodes[0].outputs);
}

TEST_CASE("load_model: symbols may be defined in any order") {
  const Graph graph =
      load(model_head("batch = 2\na = \"2 * b\"\nb = \"3 * c\"\nc = 5") + input_x + node("r", "relu"));

  std::vector<std::string> names;
  for (const Symbol& symbol : graph.symbols) names.push_back(symbol.name);
  const auto place = [&](std::string_view name) { return std::ranges::find(names, name) - names.begin(); };
  CHECK(place("c") < place("b"));
  CHECK(place("b") < place("a"));
}

TEST_CASE("load_model: several outputs of a node have names of their own") {
  const Graph graph =
      load(model_head() + input_x + node("parts", "split", {}, "parts = 2\noutputs = [\"l\", \"r\"]") +
           node("sum", "add", "\"l\", \"r\""));

  CHECK(graph.nodes.at(1).inputs == graph.nodes.at(0).outputs);
}

TEST_CASE("load_model: a block that is used once is laid in place") {
  const Graph graph = load(model_head() + input_x + node("one", "pair") + node("two", "pair") +
                           block("pair") + block_node("a", "relu", "\"x\"") + block_node("b", "relu"));

  CHECK(graph.regions.empty());
  CHECK(node_names(graph) == std::vector<std::string>{"one.a", "one.b", "two.a", "two.b"});
  CHECK(graph.nodes.at(2).inputs == graph.nodes.at(1).outputs);
}

TEST_CASE("load_model: a block that repeats becomes a region") {
  const Graph graph =
      load(model_head("batch = 2\nlayers = 3") + input_x + node("deep", "pair", {}, "repeat = \"layers\"") +
           block("pair") + block_node("a", "relu", "\"x\""));

  REQUIRE(graph.regions.size() == 1);
  CHECK(graph.regions[0].name == "deep");
  CHECK(graph.regions[0].repeat == Expr::symbol("layers"));
  CHECK(graph.nodes.at(0).region == 0);
  CHECK(node_names(graph) == std::vector<std::string>{"deep.a"});
}

TEST_CASE("load_model: a repeat of 1 is no region") {
  CHECK(load(model_head() + input_x + node("deep", "pair", {}, "repeat = 1") + block("pair") +
             block_node("a", "relu", "\"x\""))
            .regions.empty());
}

TEST_CASE("load_model: parameters of a block are replaced, in nested blocks too") {
  const Graph graph = load(model_head() + input_x + node("one", "outer", {}, "width = 5") +
                           block("outer", "\"x\"", "parameters = [\"width\"]") +
                           block_node("in", "inner", "\"x\"", "size = \"2 * width\"") +
                           block("inner", "\"x\"", "parameters = [\"size\"]") +
                           block_node("fc", "linear", "\"x\"", "out_features = \"size + 1\""));

  CHECK(graph.nodes.at(0).attributes.size("out_features").is(2 * 5 + 1));
}

TEST_CASE("load_model: training nodes and targets are marked") {
  const Graph graph =
      load(model_head() + input_x + node("fc", "linear", {}, "out_features = 4") +
           "[training]\nloss = \"loss\"\n[[training.input]]\nname = \"y\"\nshape = [\"batch\"]\n"
           "dtype = \"int64\"\n" +
           node("loss", "cross_entropy", "\"fc\", \"y\"", {}, "training.node"));

  CHECK(graph.inputs.at(1).training_only);
  CHECK(graph.nodes.at(1).training_only);
  CHECK_FALSE(graph.nodes.at(0).training_only);
  CHECK(graph.loss.has_value());
}

TEST_CASE("load_model: a loss that is a block is left out of inference with all of its nodes") {
  const Graph graph = load(
      model_head() + input_x + node("fc", "linear", {}, "out_features = 4") +
      "[training]\nloss = \"loss\"\n[[training.input]]\nname = \"y\"\nshape = [\"batch\"]\n"
      "dtype = \"int64\"\n" +
      node("loss", "both", "\"fc\", \"y\"", {}, "training.node") + block("both", "\"p\", \"t\"") +
      block_node("scaled", "scale", "\"p\"") + block_node("entropy", "cross_entropy", "\"scaled\", \"t\""));

  const auto typed = infer_shapes(graph, Task::inference);
  INFO("complaint: ", typed ? std::string("none") : to_string(typed.error()));
  CHECK(typed.has_value());
}

TEST_CASE("load_model_unrolled: repetitions are written out under numbers, with parameters of their own") {
  const std::string text = model_head("batch = 2\nlayers = 3") + input_x +
                           node("deep", "layer", {}, "repeat = \"layers\"") + block("layer") +
                           block_node("fc", "linear", "\"x\"", "out_features = 8");
  const Graph graph = load_unrolled(text);

  CHECK(graph.regions.empty());
  CHECK(node_names(graph) == std::vector<std::string>{"deep.0.fc", "deep.1.fc", "deep.2.fc"});
  CHECK(graph.nodes.at(2).inputs == graph.nodes.at(1).outputs);
  CHECK(summarize(graph)->parameters == summarize(load(text))->parameters);
}

TEST_CASE("load_model: comments, descriptions and sources are welcome") {
  CHECK(load_model("# a net\nschema = 1\nname = \"net\"\ndescription = \"d\"\nsource = \"s\"\n" +
                       input("x", "2, 8") + node("r", "relu"),
                   "m.toml")
            .has_value());
}

}  // namespace
}  // namespace roofcast
