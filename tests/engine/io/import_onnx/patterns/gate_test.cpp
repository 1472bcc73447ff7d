#include "tests/engine/io/import_onnx/onnx_graph.hpp"

namespace roofcast::onnx {
namespace {

using Names = std::vector<std::string>;

std::string times(OnnxGraph& file, const std::string& x, float factor) {
  return file.node("Mul", {x, file.number(factor)});
}

std::string plus(OnnxGraph& file, const std::string& x, float offset) {
  return file.node("Add", {x, file.number(offset)});
}

TEST_CASE("GELU: the half may be anywhere") {
  const auto write = [](OnnxGraph& file, const std::string& x, int half) {
    std::string inner = plus(file, file.node("Erf", {file.node("Div", {x, file.number(1.41421356F)})}), 1);
    if (half == 0) inner = times(file, inner, 0.5F);
    const std::string factor = half == 1 ? times(file, x, 0.5F) : x;
    const std::string result = file.node("Mul", {factor, inner});
    return half == 2 ? times(file, result, 0.5F) : result;
  };
  for (const int half : {0, 1, 2}) {
    OnnxGraph file;
    file.output(write(file, file.input("x", {0, 8}), half));

    CHECK(working(file.imported()) == Names{"gelu"});
  }
  OnnxGraph none;
  none.output(write(none, none.input("x", {0, 8}), 3));
  CHECK(count_of(none.imported(), "gelu") == 0);
}

TEST_CASE("GELU by tanh: with a power, and multiplied out") {
  OnnxGraph power;
  const std::string x = power.input("x", {0, 8});
  const std::string cubic = times(power, power.node("Pow", {x, power.number(3)}), 0.044715F);
  const std::string inner = power.node("Tanh", {times(power, power.node("Add", {x, cubic}), 0.7978845608F)});
  power.output(power.node("Mul", {times(power, x, 0.5F), plus(power, inner, 1)}));
  OnnxGraph factors;
  const std::string y = factors.input("y", {0, 8});
  const std::string square = factors.node("Mul", {times(factors, y, 0.044715F), y});
  const std::string argument =
      factors.node("Mul", {times(factors, y, 0.7978845608F), plus(factors, square, 1)});
  factors.output(
      factors.node("Mul", {times(factors, y, 0.5F), plus(factors, factors.node("Tanh", {argument}), 1)}));

  CHECK(working(power.imported()) == Names{"gelu"});
  CHECK(working(factors.imported()) == Names{"gelu"});
}

TEST_CASE("GELU: another constant, another value, or an inner one that others read is none") {
  for (const int miss : {0, 1, 2}) {
    OnnxGraph file;
    const std::string x = file.input("x", {2, 8});
    const std::string root = file.number(miss == 0 ? 2.0F : 1.41421356F);
    const std::string error = file.node("Erf", {file.node("Div", {x, root})});
    const std::string factor = miss == 1 ? file.input("y", {2, 8}) : x;
    file.output(file.node("Mul", {times(file, factor, 0.5F), plus(file, error, 1)}));
    if (miss == 2) file.output(error);

    CHECK(count_of(file.imported(), "gelu") == 0);
  }
}

TEST_CASE("SiLU: x sigmoid(x), and with 1.702 x in the exponent") {
  OnnxGraph silu;
  const std::string x = silu.input("x", {0, 8});
  silu.output(silu.node("Mul", {silu.node("Sigmoid", {x}), x}));
  OnnxGraph quick;
  const std::string y = quick.input("y", {0, 8});
  quick.output(quick.node("Mul", {y, quick.node("Sigmoid", {times(quick, y, 1.702F)})}));

  CHECK(working(silu.imported()) == Names{"silu"});
  CHECK(working(quick.imported()) == Names{"silu"});
}

TEST_CASE("SiLU: a gate of another value is a product") {
  OnnxGraph file;
  const std::string gate = file.node("Sigmoid", {file.input("gate", {2, 8})});
  file.output(file.node("Mul", {file.input("x", {2, 8}), gate}));

  CHECK(working(file.imported()) == Names{"sigmoid", "mul"});
}

TEST_CASE("HardSwish: by clipping and by hard sigmoid") {
  for (const bool early : {false, true}) {
    OnnxGraph file;
    const std::string x = file.input("x", {0, 8});
    const std::string clipped = file.node("Clip", {plus(file, x, 3), file.number(0), file.number(6)});
    file.output(early ? file.node("Mul", {x, file.node("Div", {clipped, file.number(6)})})
                      : file.node("Div", {file.node("Mul", {x, clipped}), file.number(6)}));

    CHECK(working(file.imported()) == Names{"hardswish"});
  }
  OnnxGraph hard;
  const std::string y = hard.input("y", {0, 8});
  hard.output(hard.node("Mul", {y, hard.node("HardSigmoid", {y})}));
  CHECK(working(hard.imported()) == Names{"hardswish"});
}

TEST_CASE("HardSwish: without the sixth, or clipped elsewhere, it is none") {
  OnnxGraph whole;
  const std::string x = whole.input("x", {2, 8});
  whole.output(
      whole.node("Mul", {x, whole.node("Clip", {plus(whole, x, 3), whole.number(0), whole.number(6)})}));
  OnnxGraph shifted;
  const std::string y = shifted.input("y", {2, 8});
  const std::string clipped =
      shifted.node("Clip", {plus(shifted, y, 2), shifted.number(0), shifted.number(6)});
  shifted.output(shifted.node("Div", {shifted.node("Mul", {y, clipped}), shifted.number(6)}));

  CHECK(count_of(whole.imported(), "hardswish") == 0);
  CHECK(count_of(shifted.imported(), "hardswish") == 0);
}

TEST_CASE("Mish: x tanh(softplus(x))") {
  OnnxGraph file;
  const std::string x = file.input("x", {0, 8});
  file.output(file.node("Mul", {x, file.node("Tanh", {file.node("Softplus", {x})})}));

  const roofcast::Graph graph = file.imported();

  CHECK(working(graph) == Names{"pointwise"});
  CHECK(only(graph, "pointwise").attributes.word("function") == "Mish");
}

}  // namespace
}  // namespace roofcast::onnx
