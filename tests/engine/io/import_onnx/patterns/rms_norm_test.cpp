#include "tests/engine/io/import_onnx/onnx_graph.hpp"

namespace roofcast::onnx {
namespace {

std::string mean_square(OnnxGraph& file, const std::string& x) {
  const std::string square = file.node("Pow", {x, file.number(2)});
  return file.node("Add", {file.mean(square), file.number(1e-6F)});
}

TEST_CASE("RMSNorm: a quotient, a product with the reciprocal, a power of -1/2") {
  const auto by_reciprocal = [](OnnxGraph& file, const std::string& x) {
    const std::string root = file.node("Sqrt", {mean_square(file, x)});
    return file.node("Mul", {x, file.node("Reciprocal", {root})});
  };
  const auto by_one_over = [](OnnxGraph& file, const std::string& x) {
    const std::string root = file.node("Sqrt", {mean_square(file, x)});
    return file.node("Mul", {file.node("Div", {file.number(1), root}), x});
  };
  const auto by_power = [](OnnxGraph& file, const std::string& x) {
    return file.node("Mul", {x, file.node("Pow", {mean_square(file, x), file.number(-0.5F)})});
  };
  const auto by_quotient = [](OnnxGraph& file, const std::string& x) {
    return file.node("Div", {x, file.node("Sqrt", {mean_square(file, x)})});
  };
  using Writer = std::string (*)(OnnxGraph&, const std::string&);
  for (const Writer write :
       {Writer{by_reciprocal}, Writer{by_one_over}, Writer{by_power}, Writer{by_quotient}}) {
    OnnxGraph file;
    const std::string x = file.input("x", {0, 16, 8});
    file.output(file.node("Mul", {file.weight("w", {8}), write(file, x)}));

    CHECK(working(file.imported()) == std::vector<std::string>{"rms_norm"});
    CHECK(owned_parameters(file.imported()) == 8);
  }
}

TEST_CASE("RMSNorm: an offset after it stays a sum") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 16, 8});
  const std::string norm = file.node("Div", {x, file.node("Sqrt", {mean_square(file, x)})});
  const std::string scaled = file.node("Mul", {norm, file.weight("w", {8})});
  file.output(file.node("Add", {scaled, file.weight("b", {8})}));

  CHECK(working(file.imported()) == std::vector<std::string>{"rms_norm", "add"});
}

TEST_CASE("RMSNorm: another value divided by the root, or a scale of another size, is none") {
  OnnxGraph other;
  const std::string root = other.node("Sqrt", {mean_square(other, other.input("x", {2, 16, 8}))});
  other.output(other.node("Div", {other.input("y", {2, 16, 8}), root}));
  OnnxGraph scalar;
  const std::string x = scalar.input("x", {2, 16, 8});
  const std::string norm = scalar.node("Div", {x, scalar.node("Sqrt", {mean_square(scalar, x)})});
  scalar.output(scalar.node("Mul", {norm, scalar.weight("w", {16, 8})}));

  CHECK(count_of(other.imported(), "rms_norm") == 0);
  CHECK(working(scalar.imported()) == std::vector<std::string>{"rms_norm", "mul"});
}

}  // namespace
}  // namespace roofcast::onnx
