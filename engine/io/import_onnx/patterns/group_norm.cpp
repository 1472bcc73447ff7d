// As PyTorch exports GroupNorm: [N, C, ...] seen as [N, G, ...], an instance normalisation of that, seen as
// [N, C, ...] again, then a learned scale and offset for each channel.
// Source: Wu and He, "Group Normalization", 2018.

#include "engine/io/import_onnx/patterns/matching.hpp"
#include "engine/io/import_onnx/patterns/patterns.hpp"

namespace roofcast::onnx {

int fuse_group_norm(Rewriter& graph) {
  int count = 0;
  for (int index = 0; index < graph.size(); ++index) {
    if (!graph.is(index, "group_norm") || graph.node(index).attributes.flag("weight", true)) continue;
    const ValueId grouped = graph.node(index).inputs.front();
    const int split = graph.producer(grouped, "reshape");
    const int joined = graph.only_reader(graph.node(index).outputs.front());
    if (split == no_node || !graph.is(joined, "reshape")) continue;
    const ValueId x = graph.node(split).inputs.front();
    const ValueId result = graph.node(joined).outputs.front();
    const Shape shape = graph.shape(x);
    // Channels may be split into groups only where each group was normalised as a channel of its own.
    const bool fits = shape.size() >= 3 && shape == graph.shape(result) &&
                      shape[0] == graph.shape(grouped)[0] &&
                      graph.node(index).attributes.size("groups") == graph.shape(grouped)[1];
    if (!fits) continue;
    const ScaleAndOffset learned = scale_and_offset(graph, result, shape[1], shape.size() - 1);
    const bool whole = learned.offset != no_node || learned.scale == no_node;
    Attributes attributes;
    attributes.set("groups", graph.shape(grouped)[1]);
    replace_by_norm(graph, whole && learned.last != no_node ? learned.last : joined, "group_norm",
                    std::move(attributes), x, whole ? learned : ScaleAndOffset{});
    ++count;
  }
  return count;
}

}  // namespace roofcast::onnx
