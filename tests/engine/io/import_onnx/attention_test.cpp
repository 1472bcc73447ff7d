#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

const std::string runtime = "com.microsoft";

TEST_CASE("import attention of ONNX Runtime: projects, then attends") {
  ToyOnnx file;
  file.input("x", {2, 5, 8}).stored("w", {8, 24}).stored("b", {24});
  file.node("Attention", {"x", "w", "b"}, {"y"}, runtime).set("num_heads", 2);
  file.output("y");

  CHECK(file.outputs() == Types{"2x5x8:real"});
  CHECK(file.macs() == 2 * 5 * 8 * 24 + 2 * (2 * 2 * 5 * 5 * 4));
  CHECK(file.show().parameters == 8 * 24 + 24);
}

TEST_CASE("import attention of ONNX Runtime: the past makes keys longer") {
  ToyOnnx file;
  file.input("x", {2, 1, 8}).input("past", {2, 2, 2, 6, 4}).stored("w", {8, 24}).stored("b", {24});
  file.node("Attention", {"x", "w", "b", "", "past"}, {"y", "present"}, runtime).set("num_heads", 2);
  file.output("y").output("present");

  CHECK(file.outputs() == Types{"2x1x8:real", "2x2x2x7x4:real"});
  CHECK(file.macs() == 2 * 1 * 8 * 24 + 2 * (2 * 2 * 1 * 7 * 4));
}

TEST_CASE("import attention of ONNX: heads in a dimension of their own") {
  ToyOnnx file(23);
  file.input("q", {2, 4, 5, 8}).input("k", {2, 2, 7, 8}).input("v", {2, 2, 7, 6});
  file.node("Attention", {"q", "k", "v"}, {"y"});
  file.output("y");

  CHECK(file.outputs() == Types{"2x4x5x6:real"});
  CHECK(file.macs() == 2 * 4 * 5 * 7 * (8 + 6));
}

TEST_CASE("import attention of ONNX: keys of the past are handed on with the new ones") {
  ToyOnnx file(23);
  file.input("q", {2, 1, 8}).input("k", {2, 1, 8}).input("v", {2, 1, 8});
  file.input("pk", {2, 2, 9, 4}).input("pv", {2, 2, 9, 4});
  file.node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y", "nk", "nv"})
      .set("q_num_heads", 2)
      .set("kv_num_heads", 2);
  file.output("y").output("nk").output("nv");

  CHECK(file.outputs() == Types{"2x1x8:real", "2x2x10x4:real", "2x2x10x4:real"});
  CHECK(file.macs() == 2 * (2 * 2 * 1 * 10 * 4));
}

TEST_CASE("import multi-head attention: keys may come with their heads in front") {
  ToyOnnx file;
  file.input("q", {2, 1, 8}).input("k", {2, 2, 9, 4}).input("v", {2, 2, 9, 4});
  file.node("MultiHeadAttention", {"q", "k", "v"}, {"y"}, runtime).set("num_heads", 2);
  file.output("y");

  CHECK(file.outputs() == Types{"2x1x8:real"});
  CHECK(file.macs() == 2 * (2 * 2 * 1 * 9 * 4));
}

TEST_CASE("import group query attention: packed, with a buffer that stays as long as it is") {
  ToyOnnx file;
  file.input("qkv", {1, 3, (4 + 2 + 2) * 8}).input("pk", {1, 2, 10, 8}).input("pv", {1, 2, 10, 8});
  file.input("lengths", {1, 1}, ElementType::int32);
  file.node("GroupQueryAttention", {"qkv", "", "", "pk", "pv", "lengths"}, {"y", "nk", "nv"}, runtime)
      .set("num_heads", 4)
      .set("kv_num_heads", 2);
  file.output("y").output("nk", {1, 2, 10, 8}).output("nv", {1, 2, 10, 8});

  CHECK(file.outputs() == Types{"1x3x32:real", "1x2x10x8:real", "1x2x10x8:real"});
  CHECK(file.macs() == 2 * (4 * 3 * 10 * 8));
}

TEST_CASE("import attention: a bias that fits no scores is refused") {
  ToyOnnx file;
  file.input("q", {1, 2, 4}).input("k", {1, 2, 4}).input("v", {1, 2, 4}).input("bias", {1, 2, 2, 3});
  file.node("MultiHeadAttention", {"q", "k", "v", "", "", "bias"}, {"y"}, runtime).set("num_heads", 2);
  file.output("y");

  CHECK(file.complaint() ==
        "net.onnx: error: node 'n' (MultiHeadAttention): a bias of [1, 2, 2, 3] does not fit 2 queries and 2 "
        "keys\n");
}

TEST_CASE("import padding: removed and restored") {
  ToyOnnx file;
  file.input("x", {2, 5, 8}).input("counts", {2}, ElementType::int32);
  file.node("RemovePadding", {"x", "counts"}, {"tokens", "offsets", "starts", "longest"}, runtime);
  file.node("RestorePadding", {"tokens", "offsets"}, {"y"}, runtime);
  file.output("tokens").output("y");

  CHECK(file.outputs() == Types{"10x8:real", "2x5x8:real"});
}

}  // namespace
}  // namespace roofcast
