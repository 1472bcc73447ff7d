#include "engine/lower/reuse_distance.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/predict.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

// "bytes@distance" of each kernel's reads, by the name of its layer.
std::vector<std::string> reuses(const std::string& text, std::string_view layer, Task task = Task::inference,
                                Phase phase = Phase::forward) {
  const auto compiled = compile(load(text), CompileOptions{.task = task, .optimizer = Optimizer::sgd});
  REQUIRE(compiled.has_value());
  std::vector<std::string> all;
  for (const Step& step : compiled->program.steps) {
    if (step.name != layer || step.phase != phase) continue;
    for (const Kernel& kernel : step.kernels) {
      for (const Reuse<Expr>& reuse : kernel.reused)
        all.push_back(fmt::format("{}@{}", to_string(reuse.bytes), to_string(reuse.distance)));
      if (!kernel.reused_from_last_step.is(0))
        all.push_back(fmt::format("{}@{}", to_string(kernel.reused_from_last_step),
                                  to_string(compiled->program.moved_bytes)));
    }
  }
  return all;
}

using Reuses = std::vector<std::string>;

// Sizes in bytes: a value is 4, so x and all that is as large have 32.
const std::string head = "schema = 1\nname = \"net\"\n" + input("x", "1, 8");

TEST_CASE("note_reuse: nothing lies between a kernel and the next one; inputs were touched a step ago") {
  const std::string chain = head + node("a", "relu", "\"x\"") + node("b", "relu");

  CHECK(reuses(chain, "a") == Reuses{"32@96"});  // x, a and b
  CHECK(reuses(chain, "b") == Reuses{"32@0"});
}

TEST_CASE("note_reuse: a shortcut waits for what the kernels around it write") {
  const std::string shortcut = head + node("a", "relu", "\"x\"") + node("b", "relu") + node("c", "relu") +
                               node("sum", "add", "\"a\", \"c\"");

  // b read a before it wrote b; then came c.
  CHECK(reuses(shortcut, "sum") == Reuses{"32@32", "32@0"});
}

TEST_CASE("note_reuse: a view is the tensor that it looks into") {
  const std::string viewed =
      head + node("a", "relu", "\"x\"") + node("view", "reshape", {}, "shape = [2, 4]") + node("b", "relu");

  CHECK(reuses(viewed, "b") == Reuses{"32@0"});
}

TEST_CASE("note_reuse: weights were read a step ago, together with whatever was as long ago") {
  const std::string linear = head + node("a", "linear", "\"x\"", "out_features = 2\nbias = false");

  CHECK(reuses(linear, "a") == Reuses{"96@104"});  // 32 of x and 64 of weights; a has 8
}

TEST_CASE("note_reuse: more operands than are told apart are as far as the farthest") {
  std::string text = head + node("a", "relu", "\"x\"");
  for (const std::string name : {"b", "c", "d", "e"}) text += node(name, "relu");
  text += node("all", "concat", R"("a", "b", "c", "d", "e")", "axis = 1");

  CHECK(reuses(text, "all") == Reuses{"32@96", "128@64"});
}

const std::string tower = head + node("deep", "layer", "\"x\"", "repeat = 3") + block("layer") +
                          block_node("a", "relu", "\"x\"") + block_node("b", "relu");

TEST_CASE("note_reuse: what a repetition hands on was written just before, and all repetitions count") {
  CHECK(reuses(tower, "deep.a") == Reuses{"32@0"});
  CHECK(reuses(tower, "deep.b") == Reuses{"32@0"});
}

TEST_CASE("note_reuse: a block's result is as near as its last repetition") {
  const std::string text = head + node("first", "relu", "\"x\"") + node("deep", "layer", {}, "repeat = 3") +
                           node("last", "add", "\"first\", \"deep\"") + block("layer") +
                           block_node("a", "relu", "\"x\"") + block_node("b", "relu");

  // The first repetition's a reads what `first` wrote; after it 3 x 64 bytes are written.
  CHECK(reuses(text, "last").back() == "32@0");
  CHECK(reuses(text, "last").front() == "32@192");
}

TEST_CASE("note_reuse: what all repetitions read was touched one repetition ago") {
  const std::string text = head + node("mask", "relu", "\"x\"") + node("first", "relu", "\"x\"") +
                           node("deep", "layer", "\"first\", \"mask\"", "repeat = 3") +
                           block("layer", "\"x\", \"mask\"") + block_node("a", "add", "\"x\", \"mask\"") +
                           block_node("b", "relu");

  CHECK(reuses(text, "deep.a") == Reuses{"32@0", "32@64"});
}

TEST_CASE("note_reuse: the backward pass finds nothing of the forward pass, and shares its gradients") {
  const std::string linear = head + node("a", "linear", "\"x\"", "out_features = 2\nbias = false") +
                             node("b", "linear", {}, "out_features = 2\nbias = false");

  const Reuses backward = reuses(linear, "b", Task::training, Phase::backward);

  // Two products: both read the gradient of b (8 bytes), one the weights (16), one a (8).
  REQUIRE(backward.size() >= 3);
  CHECK(std::ranges::any_of(
      backward, [](const std::string& reuse) { return reuse.starts_with("8@") && reuse.size() <= 4; }));
  CHECK(std::ranges::none_of(backward, [](const std::string& reuse) { return reuse == "16@0"; }));
}

}  // namespace
}  // namespace roofcast
