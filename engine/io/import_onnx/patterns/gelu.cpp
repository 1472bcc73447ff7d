// x times the normal distribution function of x, exactly or by tanh.
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.

#include "engine/io/import_onnx/patterns/gate.hpp"
#include "engine/io/import_onnx/patterns/patterns.hpp"

namespace roofcast::onnx {

int fuse_gelu(Rewriter& graph) {
  constexpr double root_half = 0.7071067812;
  constexpr double root_two_over_pi = 0.7978845608;
  constexpr double cubic = 0.044715;
  const Affine half{.factor = 0.5, .offset = 0.5};
  return fuse_gates(graph,
                    {.function = "erf", .argument = {0, root_half}, .of_function = half, .op = "gelu"}) +
         fuse_gates(graph, {.function = "tanh",
                            .argument = {0, root_two_over_pi, 0, root_two_over_pi * cubic},
                            .of_function = half,
                            .op = "gelu"});
}

}  // namespace roofcast::onnx
