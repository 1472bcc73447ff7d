// A block that repeats is what it would be written out.

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/decide/symbols.hpp"
#include "tests/close_to.hpp"
#include "tests/laws/random_graph.hpp"
#include "tests/laws/random_platform.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20260712;

/// Under autocast a block may start from another element type than it hands on; the folded program has one
/// type for all repetitions, so that casts and bytes are approximate, to either side: time and memory are not
/// compared there.
bool hands_on_what_it_takes(const Program& program) {
  const auto dtype = [&](TensorId id) { return program.tensors[static_cast<std::size_t>(id)].dtype; };
  return std::ranges::all_of(program.regions, [&](const TypedRegion& region) {
    return std::ranges::all_of(
        region.carries, [&](const TypedCarry& carry) { return dtype(carry.initial) == dtype(carry.next); });
  });
}

/// Two things can make one repetition differ; then the folded program costs more than the one written out,
/// never less: the first repetition starts from an input of the model, which needs no gradient; all
/// repetitions add to the gradient of a tensor outside of the block, whose sum the folded program starts from
/// zeros.
bool repetitions_are_alike(const Program& program) {
  const auto role = [&](TensorId id) { return program.tensors[static_cast<std::size_t>(id)].role; };
  for (const TypedRegion& region : program.regions) {
    for (const TypedCarry& carry : region.carries) {
      if (program.task == Task::training && role(carry.initial) == TensorRole::input) return false;
    }
  }
  return std::ranges::none_of(
      program.steps, [](const Step& step) { return step.op == "accumulate" && step.region != no_region; });
}

/// The bytes of what blocks hand from repetition to repetition, each once.
double handed_on(const Outcome& folded) {
  const Program& program = folded.program.program;
  const Bindings symbols = all_symbols(program.symbols, {}).value();
  double bytes = 0;
  for (const TypedRegion& region : program.regions) {
    for (const TypedCarry& carry : region.carries) {
      bytes += static_cast<double>(
          program.tensors[static_cast<std::size_t>(carry.initial)].bytes.evaluate(symbols).value());
    }
  }
  return bytes;
}

void compare(const std::string& text, const Platform& platform, const Setting& setting) {
  const Outcome folded = run(load(text), platform, setting);
  const Outcome unrolled = run(load_unrolled(text), platform, setting);
  INFO("precision ", setting.precision, ", training ", setting.task == Task::training, "\n", text);
  CHECK(folded.parameters() == unrolled.parameters());
  CHECK(folded.forward_macs() == unrolled.forward_macs());
  CHECK(folded.value(folded.program.weight_bytes) == unrolled.value(unrolled.program.weight_bytes));
  if (!hands_on_what_it_takes(folded.program.program)) return;
  constexpr double rounding = 1e-9;
  CHECK(folded.macs() >= unrolled.macs());
  CHECK(folded.seconds() >= unrolled.seconds() * (1 - rounding));
  CHECK(folded.needed() >= unrolled.needed() * (1 - rounding));
  if (!repetitions_are_alike(folded.program.program)) return;
  CHECK(folded.macs() == unrolled.macs());
  CHECK(folded.value(folded.program.nodes) == unrolled.value(unrolled.program.nodes));
  CHECK(folded.seconds() == close_to(unrolled.seconds()));
  // What the first repetition starts from is kept to the end of the block, a little longer than it need be.
  CHECK(folded.needed() <= unrolled.needed() * (1 + rounding) + handed_on(folded));
  if (setting.task == Task::inference) CHECK(folded.needed() == close_to(unrolled.needed()));
}

void compare_random(const Setting& setting) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 60; ++i) {
    const std::string text = RandomModel(random).any();
    const Platform platform = random_platform(random);
    INFO("seed ", seed, ", model ", i);
    compare(text, platform, setting);
  }
}

TEST_CASE("law: repeats are what they would be written out, inference in fp32") {
  compare_random({});
}
TEST_CASE("law: repeats are what they would be written out, inference in fp16") {
  compare_random({.precision = "fp16"});
}
TEST_CASE("law: repeats are what they would be written out, inference in int8") {
  compare_random({.precision = "int8"});
}
TEST_CASE("law: repeats are what they would be written out, training in fp32") {
  compare_random({.task = Task::training, .optimizer = Optimizer::sgd});
}
TEST_CASE("law: repeats are what they would be written out, training with amp") {
  compare_random({.task = Task::training, .precision = "amp-bf16"});
}

// The smallest models in which each way of handing on matters.

const std::string tokens = model_head("batch = 2\nlayers = 3") + input("x", "\"batch\", 8");

std::string linear(std::string_view name, std::string_view inputs = {}, std::string_view table = "node") {
  return node(name, "linear", inputs, "out_features = 8\nbias = false", table);
}

void compare_everywhere(const std::string& text) {
  for (const char* repeat : {"1", "2", "3", "7"}) {
    std::string with = text;
    with.replace(with.find("COUNT"), 5, repeat);
    for (const Setting& setting : all_settings()) compare(with, toy_platform(), setting);
  }
}

TEST_CASE("law: a repeated chain of linear layers") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     linear("last") + block("layer") + linear("a", "\"x\"", "block.node") +
                     linear("b", {}, "block.node"));
}

TEST_CASE("law: a repeated block right after the input") {
  compare_everywhere(tokens + node("deep", "layer", "\"x\"", "repeat = COUNT") + block("layer") +
                     linear("a", "\"x\"", "block.node"));
}

TEST_CASE("law: a repeated residual") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     linear("last") + block("layer") + linear("a", "\"x\"", "block.node") +
                     node("sum", "add", "\"a\", \"x\"", {}, "block.node"));
}

TEST_CASE("law: a repeated block whose start is also used after it") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     node("sum", "add", "\"deep\", \"first\"") + linear("last") + block("layer") +
                     linear("a", "\"x\"", "block.node"));
}

TEST_CASE("law: a repeated block that reads a tensor from outside, which is used afterwards too") {
  compare_everywhere(tokens + linear("first", "\"x\"") + linear("side", "\"x\"") +
                     node("deep", "layer", "\"first\", \"side\"", "repeat = COUNT") +
                     node("sum", "add", "\"deep\", \"side\"") + linear("last") +
                     block("layer", "\"x\", \"other\"") + linear("a", "\"x\"", "block.node") +
                     node("sum", "mul", "\"a\", \"other\"", {}, "block.node"));
}

TEST_CASE("law: a repeated block of elementwise steps") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     linear("last") + block("layer") + node("a", "gelu", "\"x\"", {}, "block.node"));
}

TEST_CASE("law: a repeated block that works in place") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     linear("last") + block("layer") + linear("a", "\"x\"", "block.node") +
                     node("act", "relu", {}, "inplace = true", "block.node"));
}

TEST_CASE("law: two repeated blocks in a row") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     node("deeper", "layer", {}, "repeat = 3") + linear("last") + block("layer") +
                     linear("a", "\"x\"", "block.node"));
}

TEST_CASE("law: a repeated block within a repeated block") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "outer", {}, "repeat = COUNT") +
                     linear("last") + block("outer") +
                     node("inner", "layer", "\"x\"", "repeat = 3", "block.node") +
                     linear("b", {}, "block.node") + block("layer") + linear("a", "\"x\"", "block.node"));
}

TEST_CASE("law: a repeated block that hands on two tensors") {
  compare_everywhere(
      tokens + linear("first", "\"x\"") + linear("other", "\"x\"") +
      node("deep", "layer", "\"first\", \"other\"", "repeat = COUNT\noutputs = [\"p\", \"q\"]") +
      node("sum", "add", "\"p\", \"q\"") + block("layer", "\"x\", \"y\"", "outputs = [\"a\", \"b\"]") +
      linear("a", "\"x\"", "block.node") + node("b", "mul", "\"y\", \"a\"", {}, "block.node"));
}

TEST_CASE("law: a repeated block that is the last step") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     block("layer") + linear("a", "\"x\"", "block.node"));
}

TEST_CASE("law: a repeated block whose result is used twice") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     linear("one", "\"deep\"") + linear("two", "\"deep\"") +
                     node("sum", "add", "\"one\", \"two\"") + block("layer") +
                     linear("a", "\"x\"", "block.node"));
}

TEST_CASE("law: two repeated blocks in a row, the first keeps its results, the second its inputs") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "layer", {}, "repeat = COUNT") +
                     node("deeper", "other", {}, "repeat = 3") + linear("last") + block("layer") +
                     node("a", "relu", "\"x\"", {}, "block.node") + block("other") +
                     node("b", "gelu", "\"x\"", {}, "block.node"));
}

TEST_CASE("law: a repeated block within a repeated block, both keep their results") {
  compare_everywhere(tokens + linear("first", "\"x\"") + node("deep", "outer", {}, "repeat = COUNT") +
                     linear("last") + block("outer") +
                     node("inner", "layer", "\"x\"", "repeat = 2", "block.node") + block("layer") +
                     node("a", "relu", "\"x\"", {}, "block.node"));
}

TEST_CASE("law: a repeated block that hands an input through") {
  compare_everywhere(
      tokens + linear("first", "\"x\"") + linear("other", "\"x\"") +
      node("deep", "layer", "\"first\", \"other\"", "repeat = COUNT\noutputs = [\"p\", \"q\"]") +
      node("sum", "add", "\"p\", \"q\"") + block("layer", "\"u\", \"v\"", "outputs = [\"h\", \"v\"]") +
      linear("a", "\"u\"", "block.node") + node("h", "mul", "\"a\", \"v\"", {}, "block.node"));
}

TEST_CASE("law: a repeated block that starts in fp32 and hands on 16 bits under autocast") {
  compare_everywhere(model_head("batch = 2") + input("ids", "\"batch\"", "int64") +
                     node("table", "embedding", {}, "num_embeddings = 10\nembedding_dim = 8") +
                     node("deep", "layer", {}, "repeat = COUNT") + linear("last") + block("layer") +
                     linear("a", "\"x\"", "block.node"));
}

}  // namespace
}  // namespace roofcast
