#include "tests/engine/io/import_onnx/onnx_graph.hpp"

namespace roofcast::onnx {
namespace {

// How a file may spell (x - mean) / sqrt(variance + epsilon).
struct Spelling {
  bool two_differences = false;
  bool power = true;  ///< x^2 by Pow, else by Mul
  bool reciprocal = false;
  std::int64_t axis = -1;
};

std::string normalized(OnnxGraph& file, const std::string& x, const Spelling& spelling = {}) {
  const std::string mean = file.mean(x, spelling.axis);
  const std::string difference = file.node("Sub", {x, mean});
  const std::string other = spelling.two_differences ? file.node("Sub", {x, mean}) : difference;
  const std::string square =
      spelling.power ? file.node("Pow", {other, file.number(2)}) : file.node("Mul", {other, other});
  const std::string root =
      file.node("Sqrt", {file.node("Add", {file.mean(square, spelling.axis), file.number(1e-5F)})});
  return spelling.reciprocal ? file.node("Mul", {difference, file.node("Reciprocal", {root})})
                             : file.node("Div", {difference, root});
}

TEST_CASE("LayerNorm: all spellings are one operator with scale and offset") {
  for (const Spelling& spelling : {Spelling{}, Spelling{.two_differences = true}, Spelling{.power = false},
                                   Spelling{.reciprocal = true}, Spelling{.axis = 2}}) {
    OnnxGraph file;
    const std::string x = file.input("x", {0, 16, 8});
    const std::string scaled = file.node("Mul", {normalized(file, x, spelling), file.weight("w", {8})});
    file.output(file.node("Add", {scaled, file.weight("b", {8})}));

    const roofcast::Graph graph = file.imported();

    CHECK(working(graph) == std::vector<std::string>{"layer_norm"});
    CHECK(owned_parameters(graph) == 8 + 8);
    CHECK(count_of(graph, "parameter") == 0);
  }
}

TEST_CASE("LayerNorm: without scale or offset there are none") {
  OnnxGraph plain;
  plain.output(normalized(plain, plain.input("x", {2, 16, 8})));
  OnnxGraph scaled;
  scaled.output(
      scaled.node("Mul", {scaled.weight("w", {8}), normalized(scaled, scaled.input("x", {2, 16, 8}))}));

  CHECK(working(plain.imported()) == std::vector<std::string>{"layer_norm"});
  CHECK(owned_parameters(plain.imported()) == 0);
  CHECK(working(scaled.imported()) == std::vector<std::string>{"layer_norm"});
  CHECK(owned_parameters(scaled.imported()) == 8);
}

TEST_CASE("LayerNorm: TensorFlow's product of scale and deviation") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 16, 8});
  const std::string mean = file.mean(x);
  const std::string difference = file.node("Sub", {x, mean});
  const std::string variance = file.mean(file.node("Mul", {difference, difference}));
  const std::string root = file.node("Sqrt", {file.node("Add", {variance, file.number(1e-3F)})});
  const std::string scale = file.node("Mul", {file.node("Reciprocal", {root}), file.weight("w", {8})});
  const std::string shift = file.node("Sub", {file.weight("b", {8}), file.node("Mul", {mean, scale})});
  file.output(file.node("Add", {file.node("Mul", {x, scale}), shift}));

  CHECK(working(file.imported()) == std::vector<std::string>{"layer_norm"});
  CHECK(owned_parameters(file.imported()) == 8 + 8);
}

TEST_CASE("LayerNorm: a scale that two share is owned once") {
  OnnxGraph file;
  const std::string weight = file.weight("w", {8});
  const std::string first = file.node("Mul", {normalized(file, file.input("x", {2, 16, 8})), weight});
  file.output(file.node("Mul", {normalized(file, first), weight}));

  const roofcast::Graph graph = file.imported();

  CHECK(working(graph) == std::vector<std::string>{"layer_norm", "layer_norm"});
  CHECK(owned_parameters(graph) == 8);
}

TEST_CASE("LayerNorm: over channels in front it stays what it is") {
  OnnxGraph file;
  file.output(normalized(file, file.input("x", {2, 16, 8}), {.axis = 1}));

  CHECK(count_of(file.imported(), "layer_norm") == 0);
}

TEST_CASE("LayerNorm: a variance that others read stays") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 16, 8});
  const std::string mean = file.mean(x);
  const std::string difference = file.node("Sub", {x, mean});
  const std::string variance = file.mean(file.node("Mul", {difference, difference}));
  file.output(
      file.node("Div", {difference, file.node("Sqrt", {file.node("Add", {variance, file.number(1e-5F)})})}));
  file.output(variance);

  CHECK(count_of(file.imported(), "layer_norm") == 0);
}

TEST_CASE("LayerNorm: without an epsilon, or with the mean of something else, it is none") {
  OnnxGraph bare;
  const std::string x = bare.input("x", {2, 16, 8});
  const std::string difference = bare.node("Sub", {x, bare.mean(x)});
  bare.output(bare.node(
      "Div", {difference, bare.node("Sqrt", {bare.mean(bare.node("Mul", {difference, difference}))})}));
  OnnxGraph other;
  const std::string y = other.input("y", {2, 16, 8});
  const std::string shifted = other.node("Sub", {y, other.mean(other.input("z", {2, 16, 8}))});
  const std::string variance = other.mean(other.node("Mul", {shifted, shifted}));
  other.output(
      other.node("Div", {shifted, other.node("Sqrt", {other.node("Add", {variance, other.number(1e-5F)})})}));

  CHECK(count_of(bare.imported(), "layer_norm") == 0);
  CHECK(count_of(other.imported(), "layer_norm") == 0);
}

}  // namespace
}  // namespace roofcast::onnx
