// Nodes that are only there at some sizes, and nodes that are choices for one place.

#include <doctest/doctest.h>

#include "engine/decide/estimate.hpp"
#include "engine/io/load_model.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

const std::string input_x = input("x", "\"batch\", 8");

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& made : graph.nodes) names.emplace_back(made.op->name);
  return names;
}

std::string complaint(const std::string& text) {
  const auto graph = load_model(text, "m.toml");
  return graph ? "no mistakes\n" : to_string(graph.error());
}

using Names = std::vector<std::string>;

TEST_CASE("when: a node that is left out passes its first input on") {
  const auto text = [](int normed) {
    return model_head(fmt::format("batch = 2\nnormed = {}", normed)) + input_x + node("a", "relu") +
           node("norm", "layer_norm", {}, "when = \"normed\"") + node("b", "gelu");
  };

  const Graph with = load(text(1));
  const Graph without = load(text(0));

  CHECK(operators(with) == Names{"relu", "layer_norm", "gelu"});
  CHECK(operators(without) == Names{"relu", "gelu"});
  CHECK(without.nodes[1].inputs == without.nodes[0].outputs);
}

TEST_CASE("when: what the user sets decides") {
  const std::string text = model_head("batch = 2\nnormed = 0") + input_x + node("a", "relu") +
                           node("norm", "layer_norm", {}, "when = \"normed == 1\"");

  CHECK(operators(*load_model(text, "m.toml")) == Names{"relu"});
  CHECK(operators(*load_model(text, "m.toml", {{"normed", 1}})) == Names{"relu", "layer_norm"});
}

TEST_CASE("when: of nodes with one name at most one is there, and readers mean that one") {
  const auto text = [](int gated) {
    return model_head(fmt::format("batch = 2\ngated = {}", gated)) + input_x + node("a", "relu") +
           node("act", "silu", {}, "when = \"gated\"") + node("act", "gelu", {}, "when = \"not gated\"") +
           node("b", "add", "\"act\", \"a\"");
  };

  const Graph silu = load(text(1));
  const Graph gelu = load(text(0));

  CHECK(operators(silu) == Names{"relu", "silu", "add"});
  CHECK(operators(gelu) == Names{"relu", "gelu", "add"});
  CHECK(gelu.nodes[1].inputs == gelu.nodes[0].outputs);
  CHECK(gelu.nodes[2].inputs == std::vector{gelu.nodes[1].outputs[0], gelu.nodes[0].outputs[0]});
}

TEST_CASE("when: two nodes of one name that are both there are a mistake") {
  CHECK(complaint(model_head() + input_x + node("a", "relu", {}, "when = \"batch\"") +
                  node("a", "gelu", {}, "when = 1"))
            .find("error: the name 'a' is used twice\n") != std::string::npos);
}

TEST_CASE("when: a block that is left out counts as used, as do those inside; its outputs are its inputs") {
  const std::string text = model_head() + input_x + node("deep", "pair", "\"x\"", "when = 0") +
                           node("b", "gelu", "\"deep\"") + block("pair") + block_node("r", "half", "\"x\"") +
                           block("half") + block_node("r", "relu", "\"x\"");

  const Graph graph = load(text);

  CHECK(operators(graph) == Names{"gelu"});
  CHECK(graph.nodes[0].inputs == std::vector{graph.inputs[0].value});
}

TEST_CASE("repeat: a block that repeats 0 times passes its inputs on") {
  const std::string text = model_head("batch = 2\nlayers = 3\nlocal = 3") + input_x +
                           node("near", "layer", {}, "repeat = \"local\"") +
                           node("far", "layer", {}, "repeat = \"layers - local\"") + block("layer") +
                           block_node("fc", "linear", "\"x\"", "out_features = 8\nbias = false");

  CHECK(summarize(load(text))->parameters == 3 * 8 * 8);
  CHECK(load(text).regions.size() == 1);
  CHECK(load_model(text, "m.toml", {{"local", 1}})->regions.size() == 2);
}

TEST_CASE("when: optional inputs that are left out are dropped") {
  const std::string attention = model_head("batch = 2\nbiased = 0") + input("q", "\"batch\", 4, 8") +
                                node("bias", "parameter", {}, "shape = [4, 4]\nwhen = \"biased\"") +
                                node("a", "attention", "\"q\", \"q\", \"q\", \"bias\"", "heads = 2");

  CHECK(load(attention).nodes.at(0).inputs.size() == 3);
  CHECK(load_model(attention, "m.toml", {{"biased", 1}})->nodes.at(1).inputs.size() == 4);
}

TEST_CASE("when: an input that is needed but left out is a mistake") {
  const std::string table = node("table", "parameter", {}, "shape = [8]\nwhen = 0");

  CHECK(complaint(model_head() + input_x + table + node("sum", "add", "\"x\", \"table\"")) ==
        "m.toml:16:8: error: 'sum' needs an input that is left out\n"
        "  hint: a node that is left out passes its first input on; one without inputs does not\n");
  CHECK(complaint(model_head({}, "outputs = [\"table\"]") + "batch = 1\n" + input_x + table) ==
        "m.toml:12:8: error: 'table' is left out, but needed\n"
        "  hint: a node that is left out passes its first input on; this one has none\n");
}

TEST_CASE("when: an input of the model that is left out takes no part; reading it is a mistake") {
  const auto text = [](const std::string& reader_when) {
    return model_head("batch = 2\nencoded = 1") +
           "[[input]]\nname = \"image\"\nshape = [\"batch\", 8]\nwhen = \"not encoded\"\n" +
           input("states", "\"batch\", 4") +
           node("patches", "linear", "\"image\"", reader_when + "out_features = 4") +
           node("both", "relu", "\"states\"");
  };

  const Graph graph = load(text("when = \"not encoded\"\n"));

  REQUIRE(graph.inputs.size() == 1);
  CHECK(graph.values[static_cast<std::size_t>(graph.inputs[0].value)].name == "states");
  CHECK(operators(graph) == Names{"relu"});
  CHECK(complaint(text("")).find("'patches' needs an input that is left out") != std::string::npos);
}

TEST_CASE("when: outputs that become one value are given once") {
  const Graph graph = load(model_head("batch = 2", "outputs = [\"a\", \"pooled\"]") + input_x +
                           node("a", "relu") + node("pooled", "tanh", {}, "when = 0"));

  CHECK(graph.outputs == graph.nodes[0].outputs);
}

TEST_CASE("when: a condition without a value is a mistake") {
  CHECK(
      complaint(model_head("batch = 2\nnone = 0") + input_x +
                node("a", "relu", {}, "when = \"batch / none\"")) ==
      "m.toml:12:8: error: cannot tell whether 'a' is part of the model: '(batch / none)' divides by zero\n");
}

TEST_CASE("flags: an expression decides") {
  const std::string text = model_head("batch = 2\nbiased = 1") + input_x +
                           node("fc", "linear", {}, "out_features = 4\nbias = \"biased\"");

  CHECK(summarize(load(text))->parameters == 8 * 4 + 4);
  CHECK(summarize(*load_model(text, "m.toml", {{"biased", 0}}))->parameters == 8 * 4);
}

TEST_CASE("when: a condition may depend on a block's parameter") {
  const std::string text =
      model_head() + input_x + node("one", "layer", "\"x\"", "sees = 4") +
      node("two", "layer", "\"one\"", "sees = 0") + block("layer", "\"x\"", "parameters = [\"sees\"]") +
      block_node("a", "relu", "\"x\"") + block_node("b", "gelu", {}, "when = \"sees > 0\"");

  CHECK(operators(load(text)) == Names{"relu", "gelu", "relu"});
}

}  // namespace
}  // namespace roofcast
