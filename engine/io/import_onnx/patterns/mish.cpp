// x tanh(log(1 + exp(x))). Source: Misra, "Mish", 2019.

#include "engine/io/import_onnx/patterns/gate.hpp"
#include "engine/io/import_onnx/patterns/patterns.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast::onnx {

int fuse_mish(Rewriter& graph) {
  constexpr std::int64_t operations = 24;  // as ONNX's own operator is imported
  int count = 0;
  for (int index = 0; index < graph.size(); ++index) {
    if (!graph.is(index, "tanh")) continue;
    const int softplus = graph.producer(graph.node(index).inputs.front(), "softplus");
    if (softplus == no_node) continue;
    for (const Gate& gate : gates(graph, index, softplus)) {
      if (!near(gate.argument, {0, 1}) || !near(gate.of_function.factor, 1) ||
          !near(gate.of_function.offset, 0)) {
        continue;
      }
      Attributes attributes = rules::shape_attribute(graph.shape(gate.x));
      attributes.set("function", std::string("Mish"));
      attributes.set("operations", Expr{operations});
      graph.replace(gate.last, "pointwise", std::move(attributes), {gate.x});
      ++count;
      break;
    }
  }
  return count;
}

}  // namespace roofcast::onnx
