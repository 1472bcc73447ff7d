// x / sqrt(mean(x^2) + epsilon), then a learned scale if there is one.
// Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.

#include "engine/io/import_onnx/patterns/patterns.hpp"
#include "engine/io/import_onnx/patterns/row_norm.hpp"

namespace roofcast::onnx {

int fuse_rms_norm(Rewriter& graph) {
  int count = 0;
  for (int index = 0; index < graph.size(); ++index) {
    const auto quotient = root_mean_square(graph, index);
    if (!quotient || quotient->numerator != quotient->squared) continue;
    const ValueId x = quotient->numerator;
    if (graph.chain(index, {x}).empty()) continue;
    const ValueId result = graph.node(index).outputs.front();
    ScaleAndOffset learned = scale_and_offset(graph, result, graph.shape(x).back(), 1);
    if (learned.offset != no_node) {  // it has none of its own: that stays an addition
      learned.last = graph.only_reader(result);
      learned.offset = no_node;
    }
    replace_by_norm(graph, learned.last == no_node ? index : learned.last, "rms_norm", {}, x, learned);
    ++count;
  }
  return count;
}

}  // namespace roofcast::onnx
