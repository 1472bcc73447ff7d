#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

TEST_CASE("import sequences: an element is the tensor that was put in") {
  ToyOnnx file;
  file.input("a", {2, 3}).input("b", {4, 3}).known("at", {1}, true);
  file.node("SequenceConstruct", {"a", "b"}, {"s"});
  file.node("SequenceAt", {"s", "at"}, {"y"});
  file.output("y");

  CHECK(file.outputs() == Types{"4x3:real"});
}

TEST_CASE("import sequences: positions count from the end if they are negative") {
  ToyOnnx file;
  file.input("a", {2, 3}).input("b", {4, 3}).known("first", {0}, true).known("last", {-1}, true);
  file.node("SequenceEmpty", {}, {"s0"});
  file.node("SequenceInsert", {"s0", "a"}, {"s1"});
  file.node("SequenceInsert", {"s1", "b", "first"}, {"s2"});
  file.node("SequenceErase", {"s2", "first"}, {"s3"});
  file.node("SequenceAt", {"s3", "last"}, {"y"});
  file.output("y");

  CHECK(file.outputs() == Types{"2x3:real"});
}

TEST_CASE("import sequences: split into single rows without their dimension, joined with a new one") {
  ToyOnnx file;
  file.input("x", {3, 4});
  file.node("SplitToSequence", {"x"}, {"s"}).set("axis", 0).set("keepdims", 0);
  file.node("ConcatFromSequence", {"s"}, {"y"}).set("axis", 1).set("new_axis", 1);
  file.output("y");

  CHECK(file.outputs() == Types{"4x3:real"});
}

TEST_CASE("import sequences: parts of one size, the last one smaller") {
  ToyOnnx file;
  file.input("x", {7, 4}).known("size", {3}, true);
  file.node("SplitToSequence", {"x", "size"}, {"s"});
  file.output("s");

  CHECK(file.outputs() == Types{"3x4:real", "3x4:real", "1x4:real"});
}

TEST_CASE("import sequence map: the body runs for each element") {
  onnx::Graph body;
  describe(*body.add_input(), "in", {}, ElementType::float32);
  onnx::Node& node = *body.add_node();
  node.set_op_type("MatMul");
  node.add_input("in");
  node.add_input("w");
  node.add_output("out");
  describe(*body.add_output(), "out", {}, ElementType::float32);
  ToyOnnx file;
  file.input("a", {2, 8}).input("b", {3, 8}).stored("w", {8, 4});
  file.node("SequenceConstruct", {"a", "b"}, {"s"});
  file.node("SequenceMap", {"s"}, {"y"}).set("body", body);
  file.output("y");

  CHECK(file.outputs() == Types{"2x4:real", "3x4:real"});
  CHECK(file.macs() == (2 + 3) * 8 * 4);
}

TEST_CASE("import sequences as inputs: one element of the shape that is given") {
  ToyOnnx file;
  onnx::ValueInfo& input = *file.graph().add_input();
  input.set_name("s");
  input.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(1);
  file.known("at", {0}, true);
  file.node("SequenceAt", {"s", "at"}, {"y"});
  file.output("y");

  CHECK(file.complaint() ==
        "net.onnx: error: the file does not say the shape of the elements of input 's'\n"
        "  hint: give it with --shape s=1x3x224x224\n");
  CHECK(file.outputs({.shapes = {{"s", {2, 3}}}}) == Types{"2x3:real"});
}

TEST_CASE("import sequences: an element that is not there is an error") {
  ToyOnnx file;
  file.input("a", {2, 3}).known("at", {2}, true);
  file.node("SequenceConstruct", {"a"}, {"s"});
  file.node("SequenceAt", {"s", "at"}, {"y"});
  file.output("y");

  CHECK(file.complaint() == "net.onnx: error: node 'n' (SequenceAt): position 2 in a sequence of 1\n");
}

TEST_CASE("import optional: what is in it, or nothing") {
  ToyOnnx file;
  file.input("a", {2, 3});
  file.node("Optional", {"a"}, {"o"});
  file.node("OptionalGetElement", {"o"}, {"y"});
  file.output("y");

  CHECK(file.outputs() == Types{"2x3:real"});
}

}  // namespace
}  // namespace roofcast
