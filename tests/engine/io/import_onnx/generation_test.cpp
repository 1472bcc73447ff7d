#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

// A decoder that looks a word up and projects it.
onnx::Graph decoder() {
  onnx::Graph graph;
  onnx::ValueInfo& words = *graph.add_input();
  words.set_name("input_ids");
  auto& type = *words.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(ElementType::int32));
  type.mutable_shape()->add_dim()->set_dim_param("batch_size");
  type.mutable_shape()->add_dim()->set_dim_param("seq_len");
  const auto add = [&](const char* op, const char* a, const char* b, const char* y) {
    onnx::Node& node = *graph.add_node();
    node.set_op_type(op);
    node.add_input(a);
    node.add_input(b);
    node.add_output(y);
  };
  add("Gather", "table", "input_ids", "states");
  add("MatMul", "states", "w", "logits");
  graph.add_output()->set_name("logits");
  return graph;
}

TEST_CASE("import beam search: one step of the decoder for all beams") {
  ToyOnnx file;
  file.input("words", {2, 5}, ElementType::int32).stored("table", {100, 8}).stored("w", {8, 100});
  file.known("longest", {20}).known("shortest", {1}).known("beams", {4}).known("results", {3});
  file.node("BeamSearch", {"words", "longest", "shortest", "beams", "results"}, {"y", "scores"},
            "com.microsoft")
      .set("decoder", decoder());
  file.output("y").output("scores");

  CHECK(file.outputs() == Types{"2x3x20:int32", "2x3:real"});
  CHECK(file.macs() == (2 * 4) * 8 * 100);
  CHECK(file.notes("one step of the decoder is counted"));
}

TEST_CASE("import greedy search: a decoder is needed") {
  ToyOnnx file;
  file.input("words", {2, 5}, ElementType::int32).known("longest", {20});
  file.node("GreedySearch", {"words", "longest"}, {"y"}, "com.microsoft");
  file.output("y");

  CHECK(file.complaint() == "net.onnx: error: node 'n' (GreedySearch): has no decoder\n");
}

}  // namespace
}  // namespace roofcast
