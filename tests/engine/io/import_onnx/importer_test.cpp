// The run through a file, whatever its operators are.

#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

TEST_CASE("import: all unknown operators are named, with their share of the file") {
  ToyOnnx file;
  file.input("x", {2, 3});
  file.node("Relu", {"x"}, {"a"});
  file.node("Mystery", {"a"}, {"b"});
  file.node("Mystery", {"b"}, {"c"});
  file.node("Other", {"c"}, {"y"}, "some.where");
  file.output("y", {2, 3});

  CHECK(file.complaint() ==
        "net.onnx: error: node 'n' (Mystery): operator 'Mystery' is not known\n"
        "  hint: 3 of the file's 4 nodes are of unknown operators: Mystery (2x), some.where::Other (1x). "
        "--allow-unknown goes on without their cost, where the file says how large their results are\n");
}

// 4,096 positions, doubled 2,000 times: followed element by element these would be eight million numbers.
TEST_CASE("import: long tensors that are computed from sizes are followed only so far") {
  ToyOnnx file;
  file.known("start", {0}, true).known("end", {4096}, true).known("step", {1}, true);
  file.node("Range", {"start", "end", "step"}, {"r0"});
  constexpr int times = 2000;
  for (int i = 0; i < times; ++i) {
    const std::string before = "r" + std::to_string(i);
    file.node("Add", {before, before}, {"r" + std::to_string(i + 1)});
  }
  file.output("r2000");

  const ModelSummary summary = file.show();

  CHECK(summary.outputs.front().second == "4096:int64");
  // A million elements are some 240 tensors; then the sums are operators that run.
  CHECK(summary.nodes > 1500);
  CHECK(summary.nodes < times);
}

TEST_CASE("import: nodes in any order, and names that two of them compute") {
  ToyOnnx file;
  file.input("x", {2, 3});
  file.node("Tanh", {"a"}, {"y"});
  file.node("Relu", {"x"}, {"a"});
  file.output("y");
  CHECK(file.outputs() == Types{"2x3:real"});

  file.node("Neg", {"x"}, {"a"});
  CHECK(file.complaint() == "net.onnx: error: two nodes compute 'a'\n  hint: is the file damaged?\n");
}

TEST_CASE("import: a cycle is refused") {
  ToyOnnx file;
  file.input("x", {2, 3});
  file.node("Add", {"x", "b"}, {"a"});
  file.node("Relu", {"a"}, {"b"});
  file.output("b");

  CHECK(file.complaint().find("nodes feed each other in a cycle") != std::string::npos);
}

TEST_CASE("import: a batch of one scales to others where every shape rule holds") {
  ToyOnnx scales;
  scales.input("x", {1, 8}).stored("w", {8, 4});
  scales.node("MatMul", {"x", "w"}, {"y"});
  scales.output("y");
  CHECK(scales.show().symbols.front() == std::pair<std::string, std::int64_t>{"batch", 1});
  CHECK(scales.notes("other sizes scale the first dimension"));

  ToyOnnx fixed;  // the class token is there once, not once for each image
  fixed.input("x", {1, 8}).stored("token", {1, 8});
  fixed.node("Concat", {"token", "x"}, {"t"}).set("axis", std::int64_t{0});
  fixed.node("Flatten", {"t"}, {"f"}).set("axis", std::int64_t{0});
  fixed.stored("w", {16, 4}).node("MatMul", {"f", "w"}, {"y"});
  fixed.output("y");
  CHECK_FALSE(fixed.notes("other sizes scale the first dimension"));
}

}  // namespace
}  // namespace roofcast
