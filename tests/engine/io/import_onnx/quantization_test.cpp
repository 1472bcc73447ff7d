#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

TEST_CASE("import dequantize: a stored tensor stays the weight of its layer") {
  ToyOnnx file;
  file.input("x", {2, 8}).stored("w", {8, 4}, ElementType::int8).stored("s", {});
  file.node("DequantizeLinear", {"w", "s"}, {"d"});
  file.node("MatMul", {"x", "d"}, {"y"});
  file.output("y");

  const ModelSummary summary = file.show();
  CHECK(summary.macs == 2 * 8 * 4);
  CHECK(summary.activation_elements == 2 * 4);  // a linear layer, not a product of activations
  CHECK(summary.operators == std::vector<std::pair<std::string, std::int64_t>>{{"linear", 1}});
  CHECK(summary.initializer_elements == 8 * 4 + 1);
  CHECK(summary.parameters == 1);  // codes are not counted, their scale is
}

TEST_CASE("import quantize: activations pass through codes of the zero point's type") {
  ToyOnnx file;
  file.input("x", {2, 8}).stored("s", {}).stored("z", {}, ElementType::int8);
  file.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  file.node("DequantizeLinear", {"q", "s", "z"}, {"y"});
  file.output("q").output("y");

  CHECK(file.outputs() == Types{"2x8:int8", "2x8:real"});
}

TEST_CASE("import dynamic quantize: codes, a scale and a zero point") {
  ToyOnnx file;
  file.input("x", {2, 8});
  file.node("DynamicQuantizeLinear", {"x"}, {"q", "s", "z"});
  file.output("q").output("s").output("z");

  CHECK(file.outputs() == Types{"2x8:uint8", "scalar:real", "scalar:uint8"});
}

TEST_CASE("import qlinear conv: counted like the convolution of real values") {
  ToyOnnx file;
  file.input("x", {1, 3, 8, 8}, ElementType::uint8);
  for (const char* scale : {"xs", "ws", "ys"}) file.stored(scale, {});
  for (const char* zero : {"xz", "wz", "yz"}) file.stored(zero, {}, ElementType::uint8);
  file.stored("w", {4, 3, 3, 3}, ElementType::int8).stored("b", {4}, ElementType::int32);
  file.node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}, {"y"});
  file.output("y");

  CHECK(file.macs() == 4 * 6 * 6 * 3 * 3 * 3);
}

TEST_CASE("import matmul integer and its variants: one product") {
  ToyOnnx file;
  file.input("a", {2, 3, 8}, ElementType::uint8).stored("b", {8, 4}, ElementType::int8).stored("s", {});
  file.node("MatMulInteger", {"a", "b"}, {"y"});
  file.node("MatMulIntegerToFloat", {"a", "b", "s", "s"}, {"z"}, "com.microsoft");
  file.output("y").output("z");

  CHECK(file.outputs() == Types{"2x3x4:real", "2x3x4:real"});
  CHECK(file.macs() == 2 * (2 * 3 * 8 * 4));
}

TEST_CASE("import matmul of few bits: the weight is the matrix that its blocks stand for") {
  ToyOnnx file;
  file.input("a", {2, 32}).stored("b", {4, 2, 8}, ElementType::uint8).stored("s", {8});
  file.node("MatMulNBits", {"a", "b", "s"}, {"y"}, "com.microsoft")
      .set("K", 32)
      .set("N", 4)
      .set("bits", 4)
      .set("block_size", 16);
  file.output("y");

  CHECK(file.outputs() == Types{"2x4:real"});
  CHECK(file.macs() == 2 * 32 * 4);
}

TEST_CASE("import matmul of few bits: blocks that are missing are noticed") {
  ToyOnnx file;
  file.input("a", {2, 32}).stored("b", {4, 1, 8}, ElementType::uint8).stored("s", {4});
  file.node("MatMulNBits", {"a", "b", "s"}, {"y"}, "com.microsoft")
      .set("K", 32)
      .set("N", 4)
      .set("bits", 4)
      .set("block_size", 16);
  file.output("y");

  CHECK(file.complaint() ==
        "net.onnx: error: node 'n' (MatMulNBits): stores 32 bytes, but 4x32 weights of 4 bits take 64\n");
}

TEST_CASE("import qlinear concat: every third input is a part") {
  ToyOnnx file;
  file.input("a", {2, 3}, ElementType::uint8).input("b", {2, 5}, ElementType::uint8);
  file.stored("s", {}).stored("z", {}, ElementType::uint8);
  file.node("QLinearConcat", {"s", "z", "a", "s", "z", "b", "s", "z"}, {"y"}, "com.microsoft").set("axis", 1);
  file.output("y");

  CHECK(file.outputs() == Types{"2x8:uint8"});
}

}  // namespace
}  // namespace roofcast
