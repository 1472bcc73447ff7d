#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

TEST_CASE("import cross-entropy: a mean, or a loss for each place, and the logarithms") {
  for (const bool mean : {true, false}) {
    ToyOnnx file;
    file.input("scores", {3, 5, 6}).input("labels", {3, 6}, ElementType::int64);
    file.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss", "log_prob"})
        .set("reduction", mean ? "mean" : "none");
    file.output("loss").output("log_prob");

    CHECK(file.outputs() == Types{mean ? "scalar:real" : "3x6:real", "3x5x6:real"});
  }
}

TEST_CASE("import cross-entropy: labels have one dimension less than scores") {
  ToyOnnx file;
  file.input("scores", {3, 5, 6}).input("labels", {3}, ElementType::int64);
  file.node("NegativeLogLikelihoodLoss", {"scores", "labels"}, {"loss"});
  file.output("loss");

  CHECK(file.complaint() ==
        "net.onnx: error: node 'n' (NegativeLogLikelihoodLoss): scores [3, 5, 6] and labels [3] do not go "
        "together\n");
}

TEST_CASE("import adam: weights and both states are renewed") {
  ToyOnnx file;
  file.input("rate", {}).input("step", {}, ElementType::int64);
  for (const char* group : {"x", "g", "v", "h"}) {
    for (const char* which : {"1", "2"}) file.input(std::string(group) + which, {which[0] == '1' ? 4 : 7});
  }
  file.node("Adam", {"rate", "step", "x1", "x2", "g1", "g2", "v1", "v2", "h1", "h2"},
            {"a", "b", "c", "d", "e", "f"}, "ai.onnx.preview.training");
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) file.output(name);

  CHECK(file.outputs() == Types{"4:real", "7:real", "4:real", "7:real", "4:real", "7:real"});
}

TEST_CASE("import gradient: as large as what it is taken by, and a note that its cost is missing") {
  ToyOnnx file;
  file.input("a", {2, 3});
  file.node("Gradient", {"a"}, {"da"}, "ai.onnx.preview.training");
  file.output("da");

  CHECK(file.outputs() == Types{"2x3:real"});
  CHECK(file.notes("is not counted"));
}

}  // namespace
}  // namespace roofcast
