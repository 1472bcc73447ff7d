// x min(max(x + 3, 0), 6) / 6. Source: Howard et al., "Searching for MobileNetV3", 2019.

#include "engine/io/import_onnx/patterns/gate.hpp"
#include "engine/io/import_onnx/patterns/patterns.hpp"

namespace roofcast::onnx {

int fuse_hardswish(Rewriter& graph) {
  const Affine sixth{.factor = 1.0 / 6};
  return fuse_gates(graph, {.function = "hardsigmoid", .argument = {0, 1}, .op = "hardswish"}) +
         fuse_gates(graph,
                    {.function = "relu6", .argument = {3, 1}, .of_function = sixth, .op = "hardswish"});
}

}  // namespace roofcast::onnx
