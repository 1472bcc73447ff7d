#include "engine/lower/fuse_elementwise.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/predict.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

CompiledProgram compiled(const std::string& text, bool fused, Task task = Task::inference) {
  const Runtime runtime{.fuses_elementwise = fused};
  auto program =
      compile(load(text), CompileOptions{.task = task, .runtime = runtime, .optimizer = Optimizer::sgd});
  REQUIRE(program.has_value());
  return *std::move(program);
}

Program fused(const std::string& text, Task task = Task::inference) {
  return compiled(text, true, task).program;
}

// "gelu + dropout: 256 -> 128" for each kernel of the forward pass: what it reads and writes, in bytes.
std::vector<std::string> kernels(const Program& program, Phase phase = Phase::forward) {
  std::vector<std::string> lines;
  for (const Step& step : program.steps) {
    for (const Kernel& kernel : step.kernels) {
      if (step.phase != phase) continue;
      lines.push_back(fmt::format("{}: {} -> {}", kernel.name, to_string(kernel.bytes_read),
                                  to_string(kernel.bytes_written)));
    }
  }
  return lines;
}

const Kernel& kernel_named(const Program& program, std::string_view name) {
  for (const Step& step : program.steps) {
    for (const Kernel& kernel : step.kernels) {
      if (kernel.name == name) return kernel;
    }
  }
  FAIL("no kernel ", name);
  return program.steps.front().kernels.front();
}

bool is_output(const Program& program, std::string_view name) {
  return std::ranges::any_of(program.steps, [&](const Step& step) {
    return std::ranges::any_of(step.outputs, [&](TensorId id) {
      return program.tensors[static_cast<std::size_t>(id)].name == name;
    });
  });
}

using Lines = std::vector<std::string>;

// A tensor [4, 8] of fp32 has 128 bytes, a weight of a linear layer 256, a norm's weight and bias 32 each.
const std::string head = "schema = 1\nname = \"net\"\n" + input("x", "4, 8");

std::string linear(std::string_view name, std::string_view inputs = {}) {
  return node(name, "linear", inputs, "out_features = 8\nbias = false");
}

TEST_CASE("fuse_elementwise: activation and residual become one kernel between two products") {
  const Program program = fused(head + linear("a", "\"x\"") + node("act", "gelu") + node("keep", "dropout") +
                                node("sum", "add", "\"keep\", \"x\"") + linear("b"));

  CHECK(kernels(program) == Lines{"gemm: 384 -> 128", "gelu + elementwise: 256 -> 128", "gemm: 384 -> 128"});
}

TEST_CASE("fuse_elementwise: the joined kernel does the operations of all its members") {
  const Program program =
      fused(head + linear("a", "\"x\"") + node("act", "gelu") + node("sum", "add", "\"act\", \"x\""));

  const Kernel& kernel = kernel_named(program, "gelu + elementwise");

  CHECK(kernel.operations == Expr{(14 + 1) * 4 * 8});
}

TEST_CASE("fuse_elementwise: training also drops and keeps the mask, not what was dropped") {
  const Program program = fused(head + linear("a", "\"x\"") + node("act", "gelu") + node("keep", "dropout") +
                                    node("sum", "add", "\"keep\", \"x\""),
                                Task::training);

  const Kernel& kernel = kernel_named(program, "gelu + dropout + elementwise");
  CHECK(kernel.bytes_read == Expr{128 + 128});
  CHECK(kernel.writes.size() == 2);
  CHECK(kernel.bytes_written == Expr{128 + 4 * 8});  // the mask has a byte for each value
  CHECK(is_output(program, "a"));                    // the derivative of gelu is computed from its input
  CHECK_FALSE(is_output(program, "act"));
}

TEST_CASE("fuse_elementwise: the borders between forward and backward pass end chains") {
  const Program program =
      fused(head + linear("a", "\"x\"") + node("act", "gelu") + node("keep", "dropout"), Task::training);

  CHECK(kernels(program).back() == "gelu + dropout: 128 -> 160");
  CHECK(kernels(program, Phase::backward).front() == "fill + mask + activation backward: 160 -> 128");
}

TEST_CASE("fuse_elementwise: training keeps results that derivatives are computed from") {
  const Program program = fused(head + linear("a", "\"x\"") + node("act", "sigmoid") +
                                    node("sum", "add", "\"act\", \"x\"") + linear("b"),
                                Task::training);

  CHECK(is_output(program, "act"));
  CHECK(kernel_named(program, "sigmoid + elementwise").bytes_written == Expr{128 + 128});
}

TEST_CASE("fuse_elementwise: batch norm and relu are one kernel in inference") {
  const std::string conv = node("c", "conv", {}, "out_channels = 2\nkernel = 1\nbias = false");
  const std::string text = "schema = 1\nname = \"net\"\n" + input("x", "1, 2, 4, 4") + conv +
                           node("n", "batch_norm") + node("r", "relu", {}, "inplace = true");

  const Program program = fused(text);

  // Its four statistics and weights of two channels each, and 32 values.
  CHECK(kernels(program).back() == "batch norm + relu: 160 -> 128");
  CHECK(std::get<Stream<Expr>>(program.steps.back().kernels[0].form).kind == StreamKind::batch_normalization);
}

TEST_CASE("fuse_elementwise: a norm takes in the sum before it and keeps its row") {
  const Program program =
      fused(head + linear("a", "\"x\"") + node("sum", "add", "\"a\", \"x\"") + node("n", "layer_norm"));

  const Kernel& kernel = kernel_named(program, "elementwise + normalize");
  CHECK(kernel.bytes_read == Expr{128 + 128 + 32 + 32});
  CHECK(kernel.bytes_written == Expr{128});  // nobody reads mean and deviation
  const auto& form = std::get<Stream<Expr>>(kernel.form);
  CHECK(form.kind == StreamKind::normalization);
  CHECK(form.row == Expr{8});
}

TEST_CASE("fuse_elementwise: a tensor that somebody else reads later is still written") {
  const Program program =
      fused(head + linear("a", "\"x\"") + node("sum", "add", "\"a\", \"x\"") + node("n", "layer_norm") +
            linear("b") + node("again", "add", "\"b\", \"sum\""));

  CHECK(is_output(program, "sum"));
  CHECK(kernel_named(program, "elementwise + normalize").bytes_written == Expr{128 + 128});
}

TEST_CASE("fuse_elementwise: a result of the model is written") {
  const Program program = fused("schema = 1\nname = \"net\"\noutputs = [\"act\", \"n\"]\n" +
                                input("x", "4, 8") + node("act", "gelu") + node("n", "layer_norm"));

  CHECK(is_output(program, "act"));
}

TEST_CASE("fuse_elementwise: only reductions over the same rows share a kernel") {
  const std::string norms = head + node("n", "layer_norm", "\"x\"") + node("m", "rms_norm");
  CHECK(kernels(fused(norms)) == Lines{"normalize: 224 -> 128"});

  const std::string other_rows = head + node("n", "layer_norm", "\"x\"") +
                                 node("v", "reshape", {}, "shape = [2, 16]") + node("m", "softmax");
  CHECK(kernels(fused(other_rows)) == Lines{"normalize: 192 -> 128", "softmax: 128 -> 128"});
}

TEST_CASE("fuse_elementwise: a reduction ends a chain over all elements") {
  const Program program = fused(head + node("act", "gelu", "\"x\"") + node("s", "sum") + node("e", "exp"));

  CHECK(kernels(program) == Lines{"gelu + reduce + exp: 128 -> 16"});
}

TEST_CASE("fuse_elementwise: views between members go with them") {
  const Program program = fused(head + linear("a", "\"x\"") + node("act", "gelu") +
                                node("v", "reshape", {}, "shape = [8, 4]") + node("r", "relu") + linear("b"));

  CHECK(kernels(program)[1] == "gelu + relu: 128 -> 128");
  CHECK_FALSE(is_output(program, "v"));
}

TEST_CASE("fuse_elementwise: a chain waits for a product that it does not touch") {
  const std::string gated = head + linear("gate", "\"x\"") + node("act", "silu") + linear("up", "\"x\"") +
                            node("both", "mul", "\"act\", \"up\"") + linear("down");

  CHECK(kernels(fused(gated)) ==
        Lines{"gemm: 384 -> 128", "gemm: 384 -> 128", "silu + elementwise: 256 -> 128", "gemm: 384 -> 128"});
}

TEST_CASE("fuse_elementwise: a chain that a product between needs does not wait") {
  const Program program =
      fused(head + node("act", "gelu", "\"x\"") + linear("a") + node("sum", "add", "\"act\", \"a\""));

  CHECK(kernels(program) == Lines{"gelu: 128 -> 128", "gemm: 384 -> 128", "elementwise: 256 -> 128"});
}

TEST_CASE("fuse_elementwise: a chain does not wait if that kept more memory") {
  const std::string two_sums = head + linear("a", "\"x\"") + linear("b", "\"x\"") +
                               node("sum", "add", "\"a\", \"b\"") + linear("c", "\"x\"") +
                               node("all", "add", "\"sum\", \"c\"");

  CHECK(kernels(fused(two_sums)).size() == 5);
}

TEST_CASE("fuse_elementwise: the border of a block ends a chain") {
  const Program program =
      fused(head + node("act", "gelu", "\"x\"") + node("deep", "layer", {}, "repeat = 3") + node("e", "exp") +
            block("layer") + block_node("r", "relu", "\"x\"") + block_node("t", "tanh"));

  CHECK(kernels(program) == Lines{"gelu: 128 -> 128", "relu + tanh: 128 -> 128", "exp: 128 -> 128"});
}

TEST_CASE("fuse_elementwise: the host calls kernels, not views") {
  const std::string text = head + linear("a", "\"x\"") + node("act", "gelu") +
                           node("v", "reshape", {}, "shape = [8, 4]") + node("r", "relu");
  const auto calls = [&](bool fuses) {
    const CompiledProgram program = compiled(text, fuses);
    return (*slot_values(program, {}))[static_cast<std::size_t>(program.operators[0])];
  };

  CHECK(calls(false) == 4);
  CHECK(calls(true) == 2);
}

TEST_CASE("fuse_elementwise: an operator of several kernels stays one call") {
  const std::string text =
      head + input("classes", "4", "int64") + node("loss", "cross_entropy", "\"x\", \"classes\"");
  const auto calls = [&](bool fuses) {
    const CompiledProgram program = compiled(text, fuses);
    return (*slot_values(program, {}))[static_cast<std::size_t>(program.operators[0])];
  };

  CHECK(calls(false) == 1);
  CHECK(calls(true) == 1);
}

TEST_CASE("fuse_elementwise: what stays inside takes no memory, and results take that of operands") {
  const auto memory = [](const std::string& text) {
    std::vector<std::string> events;
    for (const MemoryEvent& event : compiled(text, true).memory) {
      events.push_back(event.kind == MemoryEvent::Kind::allocate ? "+" : "-");
    }
    return events;
  };
  const std::string text = head + linear("a", "\"x\"") + node("act", "gelu") + node("r", "exp") + linear("b");

  // a, its memory taken over by the activation, then b.
  CHECK(memory(text) == Lines{"+", "-", "+", "+", "-"});
}

TEST_CASE("fuse_elementwise: multiplications stay, operations stay") {
  const std::string text =
      head + linear("a", "\"x\"") + node("act", "gelu") + node("keep", "dropout") + linear("b");
  const CompiledProgram plain = compiled(text, false, Task::training);
  const CompiledProgram joined = compiled(text, true, Task::training);
  const auto value = [](const CompiledProgram& program, Slot slot) {
    return (*slot_values(program, {}))[static_cast<std::size_t>(slot)];
  };

  CHECK(value(joined, joined.macs) == value(plain, plain.macs));
  CHECK(value(joined, joined.forward_operations) == value(plain, plain.forward_operations));
  CHECK(value(joined, joined.parameters) == value(plain, plain.parameters));
}

}  // namespace
}  // namespace roofcast
