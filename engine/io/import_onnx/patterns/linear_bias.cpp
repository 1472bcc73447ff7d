// A linear layer on more than two dimensions is exported as a product and a sum with the bias.

#include <map>

#include "engine/io/import_onnx/patterns/matching.hpp"
#include "engine/io/import_onnx/patterns/patterns.hpp"

namespace roofcast::onnx {

int fuse_linear_bias(Rewriter& graph) {
  std::map<int, int> bias_of;  // for each layer the node that held its bias
  int count = 0;
  for (int index = 0; index < graph.size(); ++index) {
    if (!graph.is(index, "linear") || graph.node(index).attributes.flag("bias", true)) continue;
    ValueId result = graph.node(index).outputs.front();
    const Expr features = graph.shape(result).back();
    int reader = graph.only_reader(result);
    // A view between them may fold or split other dimensions.
    while (graph.is(reader, "reshape") &&
           graph.shape(graph.node(reader).outputs.front()).back() == features) {
      result = graph.node(reader).outputs.front();
      reader = graph.only_reader(result);
    }
    if (!graph.is(reader, "add")) continue;
    const auto other = other_operand(graph, reader, result);
    const ValueId sum = graph.node(reader).outputs.front();
    if (!other || graph.shape(sum) != graph.shape(result)) continue;
    const int bias = stored_vector(graph, *other, features, 1);
    if (bias == no_node) continue;
    // A layer that shares its weight shares its bias too, or keeps it apart.
    const int owner = graph.node(index).weights_of;
    if (owner != no_node) {
      const auto of_owner = bias_of.find(owner);
      if (of_owner == bias_of.end() || of_owner->second != bias) continue;
    }
    bias_of.emplace(index, bias);
    graph.set_attribute(index, "bias", true);
    if (graph.node(index).outputs.front() == result) {
      graph.take_result_of(index, reader);
    } else {
      Attributes attributes;
      attributes.set("shape", graph.shape(sum));
      graph.replace(reader, "reshape", std::move(attributes), {result});
    }
    ++count;
  }
  return count;
}

}  // namespace roofcast::onnx
