// Sizes that only data decides.

#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

ToyOnnx expanded() {
  ToyOnnx file;
  file.input("x", {1, 3, 1}).input("shape", {2}, ElementType::int64);
  file.node("Expand", {"x", "shape"}, {"y"});
  return file;
}

TEST_CASE("import expand: a shape that is an input is taken as the file declares the result") {
  ToyOnnx file = expanded();
  file.output("y", {1, 3, 4});

  CHECK(file.outputs() == Types{"1x3x4:real"});
  CHECK(file.notes("taken as the file declares it"));
}

TEST_CASE("import expand: nobody knows a shape that the file does not declare") {
  ToyOnnx file = expanded();
  file.output("y");

  CHECK(file.complaint() ==
        "net.onnx: error: node 'n' (Expand): its shape is computed from data\n"
        "  hint: only a model whose shapes follow from its inputs' shapes can be counted\n");
}

TEST_CASE("import pad: a size in data that is not there is not called computed") {
  ToyOnnx file;
  file.input("x", {1, 2}).stored("pads", {4}, ElementType::int64);
  file.node("Pad", {"x", "pads"}, {"y"});
  file.output("y");

  CHECK(file.complaint().starts_with(
      "net.onnx: error: node 'n' (Pad): how much it pads is stored outside of the file"));
}

TEST_CASE("import range: its length is a size that the user can set, or that the file declares") {
  ToyOnnx file;
  file.input("end", {}, ElementType::int64).known("start", {0}, true).known("step", {1}, true);
  file.node("Range", {"start", "end", "step"}, {"y"});
  file.output("y", {10}, ElementType::int64);

  CHECK(file.outputs() == Types{"10:int64"});
}

TEST_CASE("import non-zero: all places, or as many as the file declares") {
  for (const bool declared : {false, true}) {
    ToyOnnx file;
    file.input("x", {2, 2}, ElementType::boolean);
    file.node("NonZero", {"x"}, {"y"});
    declared ? file.output("y", {2, 3}, ElementType::int64) : file.output("y");

    CHECK(file.outputs() == Types{declared ? "2x3:int64" : "2x4:int64"});
  }
}

TEST_CASE("import squeeze: unknown axes are those of size 1 if there are as many") {
  ToyOnnx file;
  file.input("x", {1, 3, 1, 5}).input("axes", {2}, ElementType::int64);
  file.node("Squeeze", {"x", "axes"}, {"y"});
  file.output("y");

  CHECK(file.outputs() == Types{"3x5:real"});
}

TEST_CASE("import: initializers of a branch that is not taken are counted") {
  onnx::Graph branch;
  onnx::Tensor& tensor = *branch.add_initializer();
  tensor.set_name("value");
  tensor.set_data_type(1);
  tensor.add_dims(5);
  tensor.set_data_location(1);
  branch.add_output()->set_name("value");
  ToyOnnx file;
  file.input("condition", {}, ElementType::boolean);
  file.node("If", {"condition"}, {"y"}).set("then_branch", branch).set("else_branch", branch);
  file.output("y");

  CHECK(file.show().initializer_elements == 5 + 5);
}

}  // namespace
}  // namespace roofcast
