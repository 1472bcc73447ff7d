#include <doctest/doctest.h>

#include "engine/io/load_model.hpp"
#include "tests/engine/graph/show_graph.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

const std::string head = model_head("batch = 2\nhidden = 8") + input("x", "\"batch\", \"hidden\"");

TypedGraph typed(const std::string& nodes, Task task = Task::inference) {
  auto graph = infer_shapes(load(head + nodes), task);
  INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

std::string shape_of(const TypedGraph& graph, std::string_view tensor) {
  return to_string(tensor_named(graph, tensor).type.shape);
}

std::vector<std::string> constraints(const TypedGraph& graph) {
  std::vector<std::string> all;
  for (const Constraint& constraint : graph.constraints) {
    all.push_back(fmt::format("{} = {}: {}", to_string(constraint.left), to_string(constraint.right),
                              constraint.message));
  }
  return all;
}

TEST_CASE("infer_shapes: shapes follow the symbols") {
  const TypedGraph graph =
      typed(node("fc", "linear", "\"x\"", "out_features = \"4 * hidden\"") + node("act", "relu"));

  CHECK(shape_of(graph, "act") == "[batch, 4*hidden]");
  CHECK(shape_of(graph, "fc.weight") == "[4*hidden, hidden]");
  CHECK(steps(graph) == std::vector<std::string>{"fc: linear(x) -> fc", "act: relu(fc) -> act"});
  CHECK(graph.outputs.size() == 1);
}

TEST_CASE("infer_shapes: a stretched operand is fine, another size becomes a constraint") {
  CHECK(constraints(typed(node("fc", "linear", "\"x\"", "out_features = \"hidden\"") +
                          node("sum", "add", "\"x\", \"fc\"")))
            .empty());
  CHECK(constraints(
            typed(node("fc", "linear", "\"x\"", "out_features = 1") + node("sum", "add", "\"x\", \"fc\"")))
            .empty());
  CHECK(constraints(
            typed(node("fc", "linear", "\"x\"", "out_features = 9") + node("sum", "add", "\"x\", \"fc\""))) ==
        std::vector<std::string>{
            "hidden = 9: 'sum': shapes [batch, hidden] and [batch, 9] do not go together"});
}

TEST_CASE("infer_shapes: an error of a shape rule has the node's place") {
  const auto graph = infer_shapes(load(head + node("flat", "flatten", "\"x\"", "from = 2")), Task::inference);

  REQUIRE_FALSE(graph.has_value());
  CHECK(to_string(graph.error()) ==
        "m.toml:12:8: error: 'flat': 'from' is 2, but the input has 2 dimensions\n");
}

TEST_CASE("infer_shapes: views look into the storage of what they view, through other views") {
  const TypedGraph graph =
      typed(node("a", "reshape", "\"x\"", "shape = [-1]") + node("b", "identity") + node("c", "contiguous"));

  const TensorId x = graph.inputs.front();
  CHECK(tensor_named(graph, "b").storage == x);
  CHECK(tensor_named(graph, "c").storage != x);
}

TEST_CASE("infer_shapes: shared weights are one tensor") {
  const TypedGraph graph =
      typed(node("a", "linear", "\"x\"", "out_features = \"hidden\"\nbias = false") +
            node("b", "linear", {}, "out_features = \"hidden\"\nbias = false\nweights_of = \"a\""));

  CHECK(graph.nodes[0].parameters == graph.nodes[1].parameters);
  CHECK(constraints(graph).empty());
}

TEST_CASE("infer_shapes: shared weights must have the same shape") {
  const TypedGraph graph =
      typed(node("a", "linear", "\"x\"", "out_features = 16\nbias = false") +
            node("b", "linear", {}, "out_features = 16\nbias = false\nweights_of = \"a\""));

  CHECK(constraints(graph) ==
        std::vector<std::string>{
            "hidden = 16: 'b' needs a weight of [16, 16], but the one it shares is [16, hidden]"});
}

TEST_CASE("infer_shapes: shared weights of another rank are an error at once") {
  const auto graph = infer_shapes(load(model_head() + input("x", "\"batch\", 3, 8, 8") +
                                       node("a", "conv", "\"x\"", "out_channels = 3\nkernel = 1") +
                                       node("b", "linear", {}, "out_features = 3\nweights_of = \"a\"")),
                                  Task::inference);

  REQUIRE_FALSE(graph.has_value());
  CHECK(to_string(graph.error()) ==
        "m.toml:17:8: error: 'b' needs a weight of [3, 8], but the one it shares is [3, 3, 1, 1]\n");
}

TEST_CASE("infer_shapes: a node without weights has none to share") {
  const auto graph = infer_shapes(load(head + node("a", "relu", "\"x\"") +
                                       node("b", "linear", {}, "out_features = 3\nweights_of = \"a\"")),
                                  Task::inference);

  REQUIRE_FALSE(graph.has_value());
  CHECK(to_string(graph.error()) ==
        "m.toml:17:8: error: 'b' shares the weights of a node that has none before it\n"
        "  hint: let 'weights_of' name an earlier node with a weight\n");
}

const std::string repeated = node("deep", "layer", "\"x\"", "repeat = 3") + block("layer");

TEST_CASE("infer_shapes: a block hands on what it takes") {
  const TypedGraph graph = typed(repeated + block_node("fc", "linear", "\"x\"", "out_features = \"hidden\""));

  REQUIRE(graph.regions.size() == 1);
  REQUIRE(graph.regions[0].carries.size() == 1);
  const TypedCarry& carry = graph.regions[0].carries[0];
  CHECK(graph.tensor(carry.initial).name == "x");
  CHECK(graph.tensor(carry.inside).region == 0);
  CHECK(graph.tensor(carry.next).name == "deep.fc");
  CHECK(graph.tensor(carry.result).region == no_region);
  CHECK(graph.multiplicity(0).is(3));
  CHECK(tensor_named(graph, "deep.fc.weight").region == 0);
  CHECK(constraints(graph).empty());
}

TEST_CASE("infer_shapes: a block that changes its shape cannot repeat") {
  CHECK(constraints(typed(repeated + block_node("fc", "linear", "\"x\"", "out_features = 9"))) ==
        std::vector<std::string>{
            "hidden = 9: block 'deep' takes [batch, hidden] but leaves [batch, 9] for its next repetition"});
}

TEST_CASE("infer_shapes: a block that changes its rank is an error at once") {
  const auto graph = infer_shapes(load(head + repeated + block_node("sum", "sum", "\"x\"")), Task::inference);

  REQUIRE_FALSE(graph.has_value());
  CHECK(
      to_string(graph.error()) ==
      "m.toml:12:8: error: block 'deep' takes [batch, hidden] but leaves [batch] for its next repetition\n");
}

const std::string with_loss = node("fc", "linear", "\"x\"", "out_features = 10") +
                              "[training]\nloss = \"loss\"\n[[training.input]]\nname = \"target\"\n"
                              "shape = [\"batch\"]\ndtype = \"int64\"\n" +
                              node("loss", "cross_entropy", "\"fc\", \"target\"", {}, "training.node");

TEST_CASE("infer_shapes: targets and losses exist only in training") {
  const TypedGraph inference = typed(with_loss);
  const TypedGraph training = typed(with_loss, Task::training);

  CHECK(steps(inference) == std::vector<std::string>{"fc: linear(x) -> fc"});
  CHECK_FALSE(inference.loss.has_value());
  CHECK(inference.inputs.size() == 1);
  CHECK(training.inputs.size() == 2);
  REQUIRE(training.loss.has_value());
  CHECK(training.tensor(*training.loss).name == "loss");
}

TEST_CASE("infer_shapes: a node of inference cannot read a target") {
  const auto graph = infer_shapes(
      load(head + with_loss + node("bad", "reshape", "\"target\"", "shape = [-1]")), Task::inference);

  REQUIRE_FALSE(graph.has_value());
  CHECK(to_string(graph.error()) ==
        "m.toml:28:8: error: 'bad' reads 'target', which exists only in training\n");
}

TEST_CASE("infer_shapes: an output that exists only in training is an error, not a crash") {
  Graph graph = load(head + with_loss);
  graph.outputs = {*graph.loss};

  CHECK_NOTHROW(CHECK_FALSE(infer_shapes(graph, Task::inference).has_value()));
  CHECK(infer_shapes(graph, Task::training).has_value());
}

TEST_CASE("infer_shapes: naming more outputs than an operator has is an error") {
  const auto graph =
      infer_shapes(load(head + node("r", "relu", "\"x\"", "outputs = [\"a\", \"b\"]")), Task::inference);

  REQUIRE_FALSE(graph.has_value());
  CHECK(to_string(graph.error()) == "m.toml:12:8: error: 'r' names 2 outputs, but 'relu' has 1\n");
}

TEST_CASE("infer_shapes: dropout and batch norm know the task") {
  const std::string nodes = node("drop", "dropout", "\"x\"");

  CHECK(typed(nodes).nodes[0].outputs.size() == 1);
  CHECK(typed(nodes, Task::training).nodes[0].outputs.size() == 2);
}

TEST_CASE("a model whose only input is a target has nothing to start from") {
  const auto graph = load_model(R"(
schema = 1
name = "no-inputs"
[symbols]
batch = 1
layers = 2
[[node]]
name = "decoder"
op = "layer"
repeat = "layers"
[[block]]
name = "layer"
inputs = ["x"]
[[block.node]]
name = "relu"
op = "relu"
inputs = ["x"]
[training]
loss = "decoder"
[[training.input]]
name = "targets"
dtype = "int64"
shape = ["batch"]
)",
                                "no-inputs.toml");

  REQUIRE_FALSE(graph.has_value());
  CHECK(to_string(graph.error()).find("takes 1 inputs, not 0") != std::string::npos);
}

TEST_CASE("a repeated block that starts from a target exists only in training") {
  const auto graph = load_model(R"(
schema = 1
name = "from-targets"
[symbols]
batch = 1
layers = 2
[[input]]
name = "x"
shape = ["batch", 8]
[[node]]
name = "decoder"
op = "layer"
inputs = ["targets"]
repeat = "layers"
[[block]]
name = "layer"
inputs = ["x"]
[[block.node]]
name = "relu"
op = "relu"
inputs = ["x"]
[training]
loss = "decoder"
[[training.input]]
name = "targets"
shape = ["batch", 8]
)",
                                "from-targets.toml");
  REQUIRE(graph.has_value());

  const auto typed = infer_shapes(*graph, Task::inference);

  REQUIRE_FALSE(typed.has_value());
  CHECK(typed.error().front().message == "block 'decoder' hands on 'targets', which nothing computes");
}

}  // namespace
}  // namespace roofcast
