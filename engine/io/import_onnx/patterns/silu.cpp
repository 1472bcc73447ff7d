// x sigmoid(x), and with a factor in the exponent, which some call quick GELU.

#include "engine/io/import_onnx/patterns/gate.hpp"
#include "engine/io/import_onnx/patterns/patterns.hpp"

namespace roofcast::onnx {

int fuse_silu(Rewriter& graph) {
  constexpr double quick_gelu = 1.702;
  return fuse_gates(graph, {.function = "sigmoid", .argument = {0, 1}, .op = "silu"}) +
         fuse_gates(graph, {.function = "sigmoid", .argument = {0, quick_gelu}, .op = "silu"});
}

}  // namespace roofcast::onnx
