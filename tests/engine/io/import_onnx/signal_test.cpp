#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

TEST_CASE("import dft: two parts, of one side half as many values and one") {
  ToyOnnx file;
  file.input("x", {1, 10, 1});
  file.node("DFT", {"x"}, {"both"}).set("axis", 1);
  file.node("DFT", {"x"}, {"half"}).set("axis", 1).set("onesided", 1);
  file.output("both").output("half");

  CHECK(file.outputs() == Types{"1x10x2:real", "1x6x2:real"});
}

TEST_CASE("import stft: as many frames as the step makes") {
  ToyOnnx file;
  file.input("x", {2, 128, 1}).known("step", {8}, true).known("length", {16}, true);
  file.node("STFT", {"x", "step", "", "length"}, {"y"});
  file.output("y");

  CHECK(file.outputs() == Types{"2x15x9x2:real"});  // (128 - 16) / 8 + 1 frames
}

}  // namespace
}  // namespace roofcast
