#include "tests/engine/io/import_onnx/toy_onnx.hpp"

namespace roofcast {
namespace {

// 5 steps of 2 samples with 3 features; states of 4.
ToyOnnx layer(const std::string& op, std::int64_t gates, std::int64_t directions, bool wants_final) {
  ToyOnnx file;
  file.input("x", {5, 2, 3});
  file.stored("w", {directions, gates * 4, 3}).stored("r", {directions, gates * 4, 4});
  file.stored("b", {directions, 2 * gates * 4});
  std::vector<std::string> outputs{"y"};
  if (wants_final) outputs.emplace_back("y_h");
  ToyOnnxNode node = file.node(op, {"x", "w", "r", "b"}, outputs);
  node.set("hidden_size", 4);
  if (directions == 2) node.set("direction", "bidirectional");
  for (const std::string& name : outputs) file.output(name);
  return file;
}

TEST_CASE("import lstm: the states have a dimension for directions") {
  CHECK(layer("LSTM", 4, 1, false).outputs() == Types{"5x1x2x4:real"});
  CHECK(layer("LSTM", 4, 2, false).outputs() == Types{"5x2x2x4:real"});
}

TEST_CASE("import lstm, gru, rnn: gates multiply inputs and states in each step and direction") {
  CHECK(layer("LSTM", 4, 1, false).macs() == 5 * 2 * (4 * 4) * (3 + 4));
  CHECK(layer("GRU", 3, 1, false).macs() == 5 * 2 * (3 * 4) * (3 + 4));
  CHECK(layer("RNN", 1, 1, false).macs() == 5 * 2 * (1 * 4) * (3 + 4));
  CHECK(layer("GRU", 3, 2, false).macs() == 2 * 5 * 2 * (3 * 4) * (3 + 4));
}

TEST_CASE("import gru: the states after the last step") {
  CHECK(layer("GRU", 3, 2, true).outputs() == Types{"5x2x2x4:real", "2x2x4:real"});
}

TEST_CASE("import lstm: all stored elements are parameters") {
  CHECK(layer("LSTM", 4, 2, false).show().parameters == 2 * (4 * 4) * (3 + 4 + 2));
}

TEST_CASE("import rnn: with the batch in front, directions come third") {
  ToyOnnx file;
  file.input("x", {2, 5, 3}).stored("w", {1, 4, 3}).stored("r", {1, 4, 4});
  file.node("RNN", {"x", "w", "r"}, {"y", "y_h"}).set("hidden_size", 4).set("layout", 1);
  file.output("y").output("y_h");

  CHECK(file.outputs() == Types{"2x5x1x4:real", "2x1x4:real"});
  CHECK(file.show().parameters == 4 * (3 + 4));
}

TEST_CASE("import lstm: it may start from computed states") {
  ToyOnnx file;
  file.input("x", {5, 2, 3}).input("h", {1, 2, 4}).input("c", {1, 2, 4});
  file.stored("w", {1, 16, 3}).stored("r", {1, 16, 4});
  file.node("LSTM", {"x", "w", "r", "", "", "h", "c"}, {"", "", "y_c"}).set("hidden_size", 4);
  file.output("y_c");

  CHECK(file.outputs() == Types{"1x2x4:real"});
}

TEST_CASE("import lstm: weights that do not fit are refused") {
  ToyOnnx file;
  file.input("x", {5, 2, 3}).stored("w", {1, 12, 3}).stored("r", {1, 16, 4});
  file.node("LSTM", {"x", "w", "r"}, {"y"}).set("hidden_size", 4);
  file.output("y");

  CHECK(file.complaint() ==
        "net.onnx: error: node 'n' (LSTM): weights [1, 12, 3] do not fit 1 directions, 4 gates of 4 and an "
        "input of 3\n");
}

}  // namespace
}  // namespace roofcast
