#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

TEST_CASE("import string normalizer: without stop words all strings stay") {
  ToyOnnx file;
  file.input("x", {4}, ElementType::string);
  file.node("StringNormalizer", {"x"}, {"y"});
  file.output("y");

  CHECK(file.outputs() == Types{"4:int64"});
}

TEST_CASE("import string normalizer: with stop words as many as the file declares") {
  ToyOnnx file;
  file.input("x", {4}, ElementType::string);
  file.node("StringNormalizer", {"x"}, {"y"}).texts("stopwords", {"monday"});
  file.output("y", {3}, ElementType::string);

  CHECK(file.outputs() == Types{"3:int64"});
  CHECK(file.notes("depends on data"));
}

TEST_CASE("import tf-idf: as many counts as the largest index") {
  ToyOnnx file;
  file.input("x", {2, 6}, ElementType::int32);
  file.node("TfIdfVectorizer", {"x"}, {"y"}).set("ngram_indexes", Dims{0, 1, 2, 3, 4, 5, 6});
  file.output("y");

  CHECK(file.outputs() == Types{"2x7:real"});
}

}  // namespace
}  // namespace roofcast
