#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

const std::string domain = "ai.onnx.ml";

TEST_CASE("import linear classifier: a label and a score for each class") {
  ToyOnnx file;
  file.input("x", {6, 4});
  file.node("LinearClassifier", {"x"}, {"label", "scores"}, domain).set("classlabels_ints", Dims{0, 1, 2});
  file.output("label").output("scores");

  CHECK(file.outputs() == Types{"6:int64", "6x3:real"});
  CHECK(file.macs() == 6 * 4 * 3);
}

TEST_CASE("import trees: labels may be strings, regressors have targets") {
  ToyOnnx file;
  file.input("x", {6, 4});
  file.node("TreeEnsembleClassifier", {"x"}, {"label", "scores"}, domain)
      .texts("classlabels_strings", {"cat", "dog"});
  file.node("TreeEnsembleRegressor", {"x"}, {"y"}, domain).set("n_targets", 2);
  file.output("label").output("scores").output("y");

  CHECK(file.outputs() == Types{"6:int64", "6x2:real", "6x2:real"});
}

TEST_CASE("import encoders: one hot adds a dimension, an extractor takes columns") {
  ToyOnnx file;
  file.input("x", {6, 4}).known("columns", {0, 2, 3});
  file.node("OneHotEncoder", {"x"}, {"hot"}, domain).set("cats_int64s", Dims{1, 2, 3, 4, 5});
  file.node("ArrayFeatureExtractor", {"x", "columns"}, {"some"}, domain);
  file.output("hot").output("some");

  CHECK(file.outputs() == Types{"6x4x5:real", "6x3:real"});
}

TEST_CASE("import linear regressor: one sample without a dimension for samples") {
  ToyOnnx file;
  file.input("x", {4});
  file.node("LinearRegressor", {"x"}, {"y"}, domain);
  file.output("y");

  CHECK(file.outputs() == Types{"1x1:real"});
}

TEST_CASE("import linear regressor: samples are rows") {
  ToyOnnx file;
  file.input("x", {2, 3, 4});
  file.node("LinearRegressor", {"x"}, {"y"}, domain);
  file.output("y");

  CHECK(file.complaint() ==
        "net.onnx: error: node 'n' (LinearRegressor): wants [samples, features], not [2, 3, 4]\n");
}

}  // namespace
}  // namespace roofcast
