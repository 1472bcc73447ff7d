// Attention as frameworks run it without a fused kernel: scores, softmax and the product with the values are
// operators of their own, and the scores are written to memory.

#include <fmt/format.h>

#include <map>

#include "engine/graph/typed_graph.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

class Expansion {
 public:
  explicit Expansion(const TypedGraph& graph) : graph_(graph) {}

  TypedGraph run() {
    const std::vector<TypedNode> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (const TypedNode& node : nodes) {
      if (node.op->name == "attention") {
        expand(node);
      } else {
        graph_.nodes.push_back(node);
      }
    }
    return std::move(graph_);
  }

 private:
  TensorId add(const TypedNode& origin, std::string_view op, std::string_view name,
               std::vector<TensorId> inputs, Attributes attributes = {}, std::optional<TensorId> into = {}) {
    TypedNode node{.name = fmt::format("{}.{}", origin.name, name),
                   .op = find_operator(op),
                   .attributes = std::move(attributes),
                   .inputs = std::move(inputs),
                   .region = origin.region,
                   .where = origin.where};
    const auto inference = node.op->infer(view(graph_, node));
    for (const OutputSpec& output : inference->outputs) {
      if (into && node.outputs.empty()) {
        node.outputs.push_back(*into);
        continue;
      }
      const auto made = static_cast<TensorId>(graph_.tensors.size());
      Tensor tensor{.name = node.name, .type = output.type, .region = node.region, .storage = made};
      if (output.alias) tensor.storage = graph_.tensor(node.inputs.front()).storage;
      graph_.tensors.push_back(std::move(tensor));
      node.outputs.push_back(made);
    }
    const TensorId result = node.outputs.front();
    graph_.constraints.insert(graph_.constraints.end(), inference->constraints.begin(),
                              inference->constraints.end());
    graph_.nodes.push_back(std::move(node));
    return result;
  }

  static Attributes shape(Shape sizes) { return rules::shape_attribute(sizes); }

  // [batch, length, heads * size] -> [batch, heads, length, size], shared heads repeated for each query head.
  TensorId split_heads(const TypedNode& node, TensorId input, std::string_view name, const Expr& own_heads,
                       const Expr& heads) {
    const Shape from = graph_.tensor(input).type.shape;
    const Expr size = floor_divide(from[2], own_heads);
    TensorId result = add(node, "reshape", fmt::format("{}_heads", name), {input},
                          shape({from[0], from[1], own_heads, size}));
    Attributes axes;
    axes.set("axes", std::vector<Expr>{Expr{0}, Expr{2}, Expr{1}, Expr{3}});
    result = add(node, "permute", fmt::format("{}_by_head", name), {result}, axes);
    // Batched products want one leading dimension, and that of permuted heads cannot be a view.
    if (own_heads == heads) return add(node, "contiguous", fmt::format("{}_copied", name), {result});
    const Expr group = floor_divide(heads, own_heads);
    result = add(node, "reshape", fmt::format("{}_groups", name), {result},
                 shape({from[0], own_heads, Expr{1}, from[1], size}));
    result = add(node, "expand", fmt::format("{}_shared", name), {result},
                 shape({from[0], own_heads, group, from[1], size}));
    result = add(node, "contiguous", fmt::format("{}_repeated", name), {result});
    return add(node, "reshape", fmt::format("{}_all_heads", name), {result},
               shape({from[0], heads, from[1], size}));
  }

  // The keys that some query sees: under a window only the last ones count. Among them each query meets all,
  // as the mask is applied to finished scores, so that more is multiplied than by definition. With a bias,
  // whose shape is that of all keys, nothing is left out.
  TensorId visible(const TypedNode& node, TensorId input, std::string_view name) {
    const Expr window = node.attributes.size("window");
    if (window.is(0) || node.inputs.size() > 3) return input;
    const Expr queries = graph_.tensor(node.inputs[0]).type.shape[1];
    const Expr keys = graph_.tensor(input).type.shape[1];
    const Expr length = minimum(keys, rules::visible_keys(window, keys) + queries - Expr{1});
    Attributes attributes;
    attributes.set("axis", Expr{1});
    attributes.set("start", keys - length);
    attributes.set("length", length);
    return add(node, "slice", fmt::format("{}_window", name), {input}, attributes);
  }

  void expand(const TypedNode& node) {
    const Expr heads = node.attributes.size("heads");
    const Expr kv_heads = node.attributes.size("kv_heads", heads);
    const TensorId q = split_heads(node, node.inputs[0], "query", heads, heads);
    const TensorId k = split_heads(node, visible(node, node.inputs[1], "key"), "key", kv_heads, heads);
    const TensorId v = split_heads(node, visible(node, node.inputs[2], "value"), "value", kv_heads, heads);
    Attributes transposed;
    transposed.set("transpose_b", true);
    TensorId scores = add(node, "matmul", "scores", {q, k}, transposed);
    scores = add(node, "scale", "scaled", {scores});
    if (node.inputs.size() > 3) scores = add(node, "add", "biased", {scores, node.inputs[3]});
    if (node.attributes.flag("causal")) scores = add(node, "scale", "masked", {scores});
    TensorId weights = add(node, "softmax", "weights", {scores});
    if (node.attributes.number("dropout", 0) > 0) weights = add(node, "dropout", "kept", {weights});
    const TensorId context = add(node, "matmul", "context", {weights, v});
    Attributes axes;
    axes.set("axes", std::vector<Expr>{Expr{0}, Expr{2}, Expr{1}, Expr{3}});
    const TensorId by_position = add(node, "permute", "by_position", {context}, axes);
    const TensorId joined = add(node, "contiguous", "joined", {by_position});
    const Shape result = graph_.tensor(node.outputs[0]).type.shape;
    graph_.tensor(node.outputs[0]).storage = graph_.tensor(joined).storage;
    add(node, "reshape", "output", {joined}, shape(result), node.outputs[0]);
  }

  TypedGraph graph_;
};

}  // namespace

TypedGraph expand_attention(const TypedGraph& graph) {
  return Expansion(graph).run();
}

}  // namespace roofcast
