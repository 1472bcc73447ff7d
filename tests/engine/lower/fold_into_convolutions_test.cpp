#include "engine/lower/fold_into_convolutions.hpp"

#include <doctest/doctest.h>

#include "engine/predict.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

// "conv: 200 -> 128" for each kernel: what it reads and writes, in bytes.
std::vector<std::string> kernels(const std::string& text, bool folded, Task task = Task::inference) {
  const Runtime runtime{.folds_into_convolutions = folded};
  const auto compiled =
      compile(load(text), CompileOptions{.task = task, .runtime = runtime, .optimizer = Optimizer::sgd});
  REQUIRE(compiled.has_value());
  std::vector<std::string> lines;
  for (const Step& step : compiled->program.steps) {
    for (const Kernel& kernel : step.kernels) {
      if (step.phase != Phase::forward) continue;
      lines.push_back(fmt::format("{}: {} -> {}", step.op, to_string(kernel.bytes_read),
                                  to_string(kernel.bytes_written)));
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

// An image of 2 x 4 x 4 values of fp32 has 128 bytes, a weight of 2 x 2 channels 16, a norm's four
// vectors 32.
const std::string head = "schema = 1\nname = \"net\"\n" + input("x", "1, 2, 4, 4");

std::string conv(std::string_view name, std::string_view inputs = {}) {
  return node(name, "conv", inputs, "out_channels = 2\nkernel = 1\nbias = false");
}

TEST_CASE("fold_into_convolutions: norm, residual and relu are read and written once") {
  const std::string text = head + conv("a", "\"x\"") + node("n", "batch_norm") +
                           node("sum", "add", "\"n\", \"x\"") + node("r", "relu") + conv("b");

  CHECK(kernels(text, true) == Lines{"conv: 304 -> 128", "conv: 144 -> 128"});
}

TEST_CASE("fold_into_convolutions: in place makes no difference") {
  const std::string text = head + conv("a", "\"x\"") + node("r", "relu", {}, "inplace = true") + conv("b");

  CHECK(kernels(text, true) == Lines{"conv: 144 -> 128", "conv: 144 -> 128"});
}

TEST_CASE("fold_into_convolutions: a result that somebody else reads stays") {
  const std::string text =
      head + conv("a", "\"x\"") + node("s", "sigmoid") + node("m", "mul", "\"a\", \"s\"");

  CHECK(kernels(text, true) == kernels(text, false));
}

TEST_CASE("fold_into_convolutions: the later of two convolutions takes the sum in") {
  const std::string text =
      head + conv("a", "\"x\"") + conv("b", "\"x\"") + node("sum", "add", "\"a\", \"b\"");

  CHECK(kernels(text, true) == Lines{"conv: 144 -> 128", "conv: 272 -> 128"});
}

TEST_CASE("fold_into_convolutions: other activations and other producers stay") {
  const std::string gelu = head + conv("a", "\"x\"") + node("g", "gelu");
  const std::string pooled = head + node("r", "relu", "\"x\"") + node("s", "sigmoid");

  CHECK(kernels(gelu, true) == kernels(gelu, false));
  CHECK(kernels(pooled, true) == kernels(pooled, false));
}

TEST_CASE("fold_into_convolutions: training keeps what gradients need") {
  const std::string text = head + conv("a", "\"x\"") + node("n", "batch_norm") + node("r", "relu");

  CHECK(kernels(text, true, Task::training) == kernels(text, false, Task::training));
}

}  // namespace
}  // namespace roofcast
