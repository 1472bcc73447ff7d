#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

const std::string runtime = "com.microsoft";

TEST_CASE("import skip layer norm: the result and, as a fourth output, the sum") {
  ToyOnnx file;
  file.input("x", {2, 5, 8}).input("skip", {2, 5, 8}).stored("gamma", {8}).stored("beta", {8});
  file.node("SkipLayerNormalization", {"x", "skip", "gamma", "beta"}, {"y", "mean", "", "sum"}, runtime);
  file.output("y").output("mean").output("sum");

  CHECK(file.outputs() == Types{"2x5x8:real", "2x5x1:real", "2x5x8:real"});
  CHECK(file.show().parameters == 8 + 8);
}

TEST_CASE("import embed layer norm: three tables are summed") {
  ToyOnnx file;
  file.input("words", {2, 5}, ElementType::int32).input("segments", {2, 5}, ElementType::int32);
  file.stored("wt", {100, 8}).stored("pt", {16, 8}).stored("st", {2, 8}).stored("g", {8}).stored("b", {8});
  file.node("EmbedLayerNormalization", {"words", "segments", "wt", "pt", "st", "g", "b"}, {"y", "lengths"},
            runtime);
  file.output("y").output("lengths");

  CHECK(file.outputs() == Types{"2x5x8:real", "2:int32"});
  CHECK(file.show().parameters == (100 + 16 + 2 + 1 + 1) * 8);
}

TEST_CASE("import activations with a bias: one pass") {
  ToyOnnx file;
  file.input("x", {2, 8}).stored("b", {8});
  file.node("BiasGelu", {"x", "b"}, {"y"}, runtime);
  file.node("BiasSplitGelu", {"x", "b"}, {"half"}, runtime);
  file.output("y").output("half");

  CHECK(file.outputs() == Types{"2x8:real", "2x4:real"});
  CHECK(file.macs() == 0);
}

TEST_CASE("import gemm with gelu: a layer and an activation") {
  ToyOnnx file;
  file.input("x", {2, 5, 8}).stored("w", {8, 4}).stored("b", {4});
  file.node("GemmFastGelu", {"x", "w", "b"}, {"y"}, runtime);
  file.output("y");

  CHECK(file.outputs() == Types{"2x5x4:real"});
  CHECK(file.macs() == 2 * 5 * 8 * 4);
}

TEST_CASE("import experts: each row meets the two layers of its best ones") {
  ToyOnnx file;
  file.input("x", {12, 8}).input("scores", {12, 4}).stored("up", {4, 8, 16}).stored("down", {4, 16, 8});
  file.node("MoE", {"x", "scores", "up", "", "down"}, {"y"}, runtime).set("k", 2);
  file.output("y");

  CHECK(file.outputs() == Types{"12x8:real"});
  CHECK(file.macs() == (12 * 2) * (8 * 16 + 16 * 8));
}

TEST_CASE("import convolution with channels last") {
  ToyOnnx file;
  file.input("x", {1, 8, 8, 3}).stored("w", {4, 3, 3, 3});
  file.node("NhwcConv", {"x", "w"}, {"y"}, runtime);
  file.output("y");

  CHECK(file.outputs() == Types{"1x6x6x4:real"});
  CHECK(file.macs() == 4 * 6 * 6 * 3 * 3 * 3);
}

TEST_CASE("import operators of another domain: a known name means nothing there") {
  ToyOnnx file;
  file.input("x", {2, 8});
  file.node("Relu", {"x"}, {"y"}, "some.where");
  file.output("y");

  CHECK(file.complaint().starts_with(
      "net.onnx: error: node 'n' (Relu): operator 'some.where::Relu' is not known\n"));
}

}  // namespace
}  // namespace roofcast
