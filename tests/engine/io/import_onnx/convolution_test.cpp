// Convolutions whose batch normalisation an export has folded into them.

#include <map>

#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

// A convolution of 3 x 3 from 4 to 8 channels, with tensors of these names.
ToyOnnx convolution(const std::string& weight, const std::string& bias = {}) {
  ToyOnnx file;
  file.input("x", {2, 4, 10, 10}).stored(weight, {8, 4, 3, 3});
  std::vector<std::string> inputs{"x", weight};
  if (!bias.empty()) {
    file.stored(bias, {8});
    inputs.push_back(bias);
  }
  file.node("Conv", inputs, {"y"});
  file.output("y", {2, 8, 8, 8});
  return file;
}

std::int64_t norms(const ToyOnnx& file) {
  const ModelSummary summary = file.show();
  const auto found =
      std::ranges::find(summary.operators, "batch_norm", &std::pair<std::string, std::int64_t>::first);
  return found == summary.operators.end() ? 0 : found->second;
}

TEST_CASE("import: a batch normalisation that the export has folded into a convolution is a layer again") {
  const ToyOnnx file = convolution("onnx::Conv_10", "onnx::Conv_11");

  CHECK(norms(file) == 1);
  CHECK(file.notes("a batch normalisation was folded into the convolution"));
  CHECK(file.outputs() == Types{"2x8x8x8:real"});
  CHECK(file.macs() == 2 * 8 * 8 * 8 * 4 * 9);
  CHECK(file.show().parameters == 8 * 4 * 9 + 8);  // as the file stores them
}

TEST_CASE("import: a convolution whose tensors are the model's own has no hidden normalisation") {
  CHECK(norms(convolution("features.0.weight", "features.0.bias")) == 0);
  CHECK(norms(convolution("onnx::Conv_10")) == 0);
  // Weights that are standardised before each use are computed, their bias is not.
  CHECK(norms(convolution("onnx::Conv_10", "stem.bias")) == 0);
}

}  // namespace
}  // namespace roofcast
