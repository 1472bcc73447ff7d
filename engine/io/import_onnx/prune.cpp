#include "engine/io/import_onnx/prune.hpp"

#include <map>

namespace roofcast::onnx {

void prune(roofcast::Graph& graph) {
  std::vector<int> producer(graph.values.size(), -1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId value : graph.nodes[i].outputs)
      producer[static_cast<std::size_t>(value)] = static_cast<int>(i);
  }
  // What a block hands on depends on what it computes and on what it starts from.
  std::map<ValueId, std::vector<ValueId>> handed_on;
  for (const Region& region : graph.regions) {
    for (const Carry& carry : region.carries) {
      handed_on[carry.result] = {carry.next, carry.initial};
      handed_on[carry.inside] = {carry.initial, carry.next};
    }
  }
  std::vector<bool> needed(graph.values.size(), false);
  std::vector<bool> kept(graph.nodes.size(), false);
  std::vector<ValueId> open = graph.outputs;
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (needed[static_cast<std::size_t>(value)]) continue;
    needed[static_cast<std::size_t>(value)] = true;
    if (const auto next = handed_on.find(value); next != handed_on.end()) {
      open.insert(open.end(), next->second.begin(), next->second.end());
    }
    const int node = producer[static_cast<std::size_t>(value)];
    if (node < 0 || kept[static_cast<std::size_t>(node)]) continue;
    kept[static_cast<std::size_t>(node)] = true;
    const roofcast::Node& needs = graph.nodes[static_cast<std::size_t>(node)];
    open.insert(open.end(), needs.inputs.begin(), needs.inputs.end());
    if (needs.weights_of >= 0) {
      const roofcast::Node& owner = graph.nodes[static_cast<std::size_t>(needs.weights_of)];
      open.insert(open.end(), owner.outputs.begin(), owner.outputs.end());
    }
  }
  std::vector<int> renumbered(graph.nodes.size(), -1);
  std::vector<roofcast::Node> nodes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!kept[i]) continue;
    renumbered[i] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(graph.nodes[i]));
  }
  for (roofcast::Node& node : nodes) {
    if (node.weights_of >= 0) node.weights_of = renumbered[static_cast<std::size_t>(node.weights_of)];
  }
  graph.nodes = std::move(nodes);
  for (Region& region : graph.regions) {
    std::erase_if(region.carries, [&](const Carry& carry) {
      return !needed[static_cast<std::size_t>(carry.result)] &&
             !needed[static_cast<std::size_t>(carry.inside)];
    });
  }
}

}  // namespace roofcast::onnx
