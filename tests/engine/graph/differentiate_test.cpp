#include <doctest/doctest.h>

#include <algorithm>

#include "tests/engine/graph/show_graph.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const std::string head = model_head() + input("x", "\"batch\", 8");

Result<TypedGraph> differentiated(const std::string& text, Optimizer optimizer = Optimizer::adamw) {
  const auto graph = infer_shapes(load(text), Task::training);
  REQUIRE(graph.has_value());
  return differentiate(apply_precision(*graph, *find_precision("fp32")), optimizer);
}

TypedGraph trained(const std::string& nodes, Optimizer optimizer = Optimizer::adamw) {
  auto graph = differentiated(head + nodes, optimizer);
  INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

std::string linear(std::string_view name, std::string_view inputs = {}, std::string_view more = {}) {
  return node(name, "linear", inputs, fmt::format("out_features = 8\nbias = false\n{}", more));
}

int parameter_gradients(const TypedGraph& graph) {
  int count = 0;
  for (const Tensor& tensor : graph.tensors) {
    const bool own_storage = &graph.tensor(tensor.storage) == &tensor;
    count += tensor.role == TensorRole::parameter_gradient && own_storage ? 1 : 0;
  }
  return count;
}

TEST_CASE("differentiate: the first layer pays for no input gradient") {
  CHECK(steps(trained(linear("a", "\"x\"") + linear("b")), Phase::backward) ==
        Steps{"b: fill() -> gradient of b",
              "b: linear_input_gradient(gradient of b, b.weight) -> gradient of a",
              "b: linear_weight_gradient(gradient of b, a) -> gradient of b.weight",
              "a: linear_weight_gradient(gradient of a, x) -> gradient of a.weight"});
}

TEST_CASE("differentiate: what lies before the first parameter has no backward pass") {
  CHECK(steps(trained(node("act", "relu", "\"x\"") + linear("a")), Phase::backward) ==
        Steps{"a: fill() -> gradient of a",
              "a: linear_weight_gradient(gradient of a, act) -> gradient of a.weight"});
}

TEST_CASE("differentiate: two consumers' gradients are added") {
  const TypedGraph graph = trained(linear("a", "\"x\"") + linear("b", "\"a\"") + linear("c", "\"a\"") +
                                   node("sum", "add", "\"b\", \"c\""));

  CHECK(count_of(graph, "accumulate") + count_of(graph, "add") - 1 == 1);
  CHECK(count_of(graph, "linear_input_gradient") == 2);
  CHECK(count_of(graph, "linear_weight_gradient") == 3);
}

TEST_CASE("differentiate: a residual adds a view of the gradient into new storage") {
  const TypedGraph graph = trained(linear("a", "\"x\"") + linear("b") + node("sum", "add", "\"a\", \"b\""));

  CHECK(steps(graph, Phase::backward) ==
        Steps{"sum: fill() -> gradient of sum", "sum: identity(gradient of sum) -> gradient of a",
              "sum: identity(gradient of sum) -> gradient of b",
              "b: linear_input_gradient(gradient of b, b.weight) -> gradient of a",
              "b: linear_weight_gradient(gradient of b, a) -> gradient of b.weight",
              "a: add(gradient of a, gradient of a) -> gradient of a",
              "a: linear_weight_gradient(gradient of a, x) -> gradient of a.weight"});
}

TEST_CASE("differentiate: x + x has both parts") {
  const TypedGraph graph = trained(linear("a", "\"x\"") + node("twice", "add", "\"a\", \"a\""));

  CHECK(count_of(graph, "identity") == 2);
  CHECK(count_of(graph, "add") + count_of(graph, "accumulate") == 1 + 1);
}

TEST_CASE("differentiate: a parameter used twice has one gradient, the sum of two") {
  const TypedGraph graph = trained(linear("a", "\"x\"") + linear("b", {}, "weights_of = \"a\""));

  CHECK(count_of(graph, "linear_weight_gradient") == 2);
  CHECK(count_of(graph, "accumulate") == 1);
  const std::vector<std::string> backward = steps(graph, Phase::backward);
  CHECK(backward.back() ==
        "gradient of a.weight: accumulate(gradient of a.weight, gradient of a.weight) -> "
        "gradient of a.weight");
}

TEST_CASE("differentiate: a tied head and table share one gradient") {
  const auto graph =
      differentiated(model_head() + input("tokens", "\"batch\", 4", "int64") +
                     node("table", "embedding", "\"tokens\"", "num_embeddings = 10\nembedding_dim = 8") +
                     node("head", "linear", {}, "out_features = 10\nbias = false\nweights_of = \"table\""));

  REQUIRE(graph.has_value());
  CHECK(count_of(*graph, "embedding_backward") == 1);
  CHECK(count_of(*graph, "linear_weight_gradient") == 1);
  CHECK(count_of(*graph, "accumulate") == 1);
}

TEST_CASE("differentiate: starts from the loss alone if there is one") {
  const TypedGraph graph = trained(linear("a", "\"x\"") +
                                   "[training]\nloss = \"loss\"\n[[training.input]]\nname = "
                                   "\"target\"\nshape = [\"batch\"]\ndtype = \"int64\"\n" +
                                   node("loss", "cross_entropy", "\"a\", \"target\"", {}, "training.node"));

  CHECK(steps(graph, Phase::backward) ==
        Steps{"loss: fill() -> gradient of loss",
              "loss: cross_entropy_backward(gradient of loss, loss.1, target) -> gradient of a",
              "a: linear_weight_gradient(gradient of a, x) -> gradient of a.weight"});
  CHECK(graph.notes.empty());
}

TEST_CASE("differentiate: without a loss it starts from all outputs, and says so") {
  const TypedGraph graph = trained(linear("a", "\"x\""));

  CHECK(graph.notes == Steps{"the model file names no loss: training starts from gradients at all outputs"});
}

TEST_CASE("differentiate: an output that nothing used counts as a gradient of zeros") {
  const TypedGraph graph =
      trained(linear("a", "\"x\"") + node("parts", "split", {}, "parts = 2\noutputs = [\"l\", \"r\"]") +
              linear("b", "\"l\""));

  CHECK(count_of(graph, "fill") == 2);
  CHECK(count_of(graph, "concat") == 1);
}

TEST_CASE("differentiate: an operator without a gradient is a named error") {
  const Operator* without = find_operator("linear_input_gradient");
  REQUIRE((without->gradient == nullptr));
  auto graph = infer_shapes(load(head + linear("a", "\"x\"") + node("act", "relu")), Task::training);
  Operator odd = *find_operator("relu");
  odd.name = "odd";
  odd.gradient = nullptr;
  graph->nodes.back().op = &odd;

  const auto result = differentiate(apply_precision(*graph, *find_precision("fp32")), Optimizer::sgd);

  REQUIRE_FALSE(result.has_value());
  CHECK(to_string(result.error()) ==
        "m.toml:18:8: error: 'act': operator 'odd' has no gradient, so the model cannot be trained\n");
}

TEST_CASE("differentiate: autocast's casts are differentiated too") {
  const auto typed = infer_shapes(load(head + linear("a", "\"x\"")), Task::training);
  const auto graph = differentiate(apply_precision(*typed, *find_precision("amp-fp16")), Optimizer::sgd);

  REQUIRE(graph.has_value());
  CHECK(steps(*graph, Phase::backward) ==
        Steps{"a: fill() -> gradient of a",
              "a: linear_weight_gradient(gradient of a, x.fp16) -> gradient of a.weight.fp16",
              "a: cast(gradient of a.weight.fp16) -> gradient of a.weight"});
  CHECK(tensor_named(*graph, "gradient of a.weight").type.dtype == DType::fp32);
}

const std::string deep = linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = 3") + block("layer");

TEST_CASE("differentiate: a block gets a mirror that repeats as often") {
  const TypedGraph graph =
      trained(deep + block_node("fc", "linear", "\"x\"", "out_features = 8\nbias = false"));

  REQUIRE(graph.regions.size() == 2);
  CHECK(graph.regions[0].mirror == 1);
  CHECK(graph.regions[1].mirror == 0);
  CHECK(graph.regions[1].repeat.is(3));
  REQUIRE(graph.regions[1].carries.size() == 1);
  const TypedCarry& carry = graph.regions[1].carries[0];
  CHECK(graph.tensor(carry.initial).name == "gradient of deep");
  CHECK(graph.tensor(carry.result).name == "gradient of first");
  CHECK(count_of(graph, "linear_weight_gradient") == 2);
  CHECK(parameter_gradients(graph) == 2);
}

TEST_CASE(
    "differentiate: a block over plain inputs needs no input gradient in its first repetition, but gets a "
    "mirror") {
  const TypedGraph graph = trained(node("deep", "layer", "\"x\"", "repeat = 3") + block("layer") +
                                   block_node("fc", "linear", "\"x\"", "out_features = 8\nbias = false"));

  CHECK(graph.regions.size() == 2);
  CHECK(count_of(graph, "linear_weight_gradient") == 1);
}

TEST_CASE("differentiate: what each repetition reads from outside adds to one sum") {
  const TypedGraph graph =
      trained(linear("first", "\"x\"") + linear("side", "\"x\"") +
              node("deep", "layer", "\"first\", \"side\"", "repeat = 3") +
              block("layer", "\"x\", \"other\"") + block_node("sum", "add", "\"x\", \"other\""));

  const std::vector<std::string> backward = steps(graph, Phase::backward);
  const auto has = [&](const std::string& step) {
    return std::ranges::find(backward, step) != backward.end();
  };
  CHECK(has("side: fill() -> gradient of side"));
  CHECK(has("gradient of side: accumulate(gradient of side, gradient of side) -> gradient of side"));
  CHECK(has("side: linear_weight_gradient(gradient of side, x) -> gradient of side.weight"));
}

TEST_CASE("differentiate: a block within a block gets a mirror within a mirror") {
  const TypedGraph graph =
      trained(linear("first", "\"x\"") + node("outer", "stage", {}, "repeat = 2") + block("stage") +
              block_node("inner", "layer", "\"x\"", "repeat = 3") + block("layer") +
              block_node("fc", "linear", "\"x\"", "out_features = 8\nbias = false"));

  REQUIRE(graph.regions.size() == 4);
  const RegionId outer = graph.regions[0].mirror;
  const RegionId inner = graph.regions[1].mirror;
  CHECK(graph.region(inner).parent == outer);
  CHECK(graph.region(outer).parent == no_region);
  CHECK(graph.multiplicity(inner).is(2 * 3));
}

TEST_CASE("differentiate: the optimizer runs once, over all parameters with their repeats") {
  const TypedGraph graph = trained(deep + block_node("fc", "linear", "\"x\"", "out_features = 8"));

  const TypedNode& last = graph.nodes.back();
  CHECK(last.op->name == "adamw");
  CHECK(last.phase == Phase::optimizer);
  CHECK(last.attributes.size("elements").is(8 * 8 + 3 * (8 * 8 + 8)));
}

TEST_CASE("differentiate: without an optimizer the backward pass is the end") {
  const TypedGraph with = trained(linear("a", "\"x\""));
  const TypedGraph without = trained(linear("a", "\"x\""), Optimizer::none);

  CHECK(without.nodes.size() + 1 == with.nodes.size());
  CHECK(without.nodes.back().phase == Phase::backward);
}

}  // namespace
}  // namespace roofcast
