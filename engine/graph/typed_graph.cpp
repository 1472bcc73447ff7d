#include "engine/graph/typed_graph.hpp"

namespace roofcast {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::forward: return "forward";
    case Phase::backward: return "backward";
    case Phase::optimizer: return "optimizer";
  }
  return "?";
}

Expr TypedGraph::multiplicity(RegionId id) const {
  Expr count{1};
  for (; id != no_region; id = region(id).parent) count *= region(id).repeat;
  return count;
}

NodeView view(const TypedGraph& graph, const TypedNode& node) {
  const auto types = [&](const std::vector<TensorId>& ids) {
    std::vector<TensorType> result;
    result.reserve(ids.size());
    for (const TensorId id : ids) result.push_back(graph.tensor(id).type);
    return result;
  };
  return {.name = node.name,
          .attributes = node.attributes,
          .inputs = types(node.inputs),
          .parameters = types(node.parameters),
          .outputs = types(node.outputs),
          .training = graph.task == Task::training,
          .where = node.where};
}

}  // namespace roofcast
