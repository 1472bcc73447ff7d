#include "tests/engine/io/import_onnx/onnx_graph.hpp"

namespace roofcast::onnx {
namespace {

std::string grouped(OnnxGraph& file, const std::string& x, std::int64_t groups, float scale = 1) {
  const auto count = static_cast<std::size_t>(groups);
  const std::string scales = file.reals(std::vector<float>(count, scale), {groups});
  const std::string offsets = file.reals(std::vector<float>(count, 0), {groups});
  return file.node("InstanceNormalization", {file.reshape(x, {0, groups, -1}), scales, offsets});
}

TEST_CASE("GroupNorm: as PyTorch exports it, with a scale and an offset for each channel") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 32, 4, 4});
  const std::string norm = file.reshape(grouped(file, x, 8), {2, 32, 4, 4});
  const std::string scaled = file.node("Mul", {norm, file.weight("w", {32, 1, 1})});
  file.output(file.node("Add", {scaled, file.weight("b", {32, 1, 1})}));

  const roofcast::Graph graph = file.imported();

  CHECK(working(graph) == std::vector<std::string>{"group_norm"});
  CHECK(only(graph, "group_norm").attributes.size("groups").is(8));
  CHECK(owned_parameters(graph) == 32 + 32);
}

TEST_CASE("GroupNorm: without scale and offset") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 32, 4, 4});
  file.output(file.reshape(grouped(file, x, 8), {2, 32, 4, 4}));

  CHECK(working(file.imported()) == std::vector<std::string>{"group_norm"});
  CHECK(owned_parameters(file.imported()) == 0);
}

TEST_CASE("GroupNorm: another shape afterwards is none") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 32, 4, 4});
  file.output(file.reshape(grouped(file, x, 8), {2, 8, 64}));

  CHECK(count_of(file.imported(), "reshape") == 1);
}

TEST_CASE("GroupNorm: a scale along the width is none of its own") {
  OnnxGraph file;
  const std::string x = file.input("x", {2, 32, 4, 32});
  const std::string norm = file.reshape(grouped(file, x, 8), {2, 32, 4, 32});
  file.output(file.node("Mul", {norm, file.weight("w", {32})}));

  CHECK(working(file.imported()) == std::vector<std::string>{"group_norm", "mul"});
}

}  // namespace
}  // namespace roofcast::onnx
