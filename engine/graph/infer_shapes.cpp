// Graph -> TypedGraph: each operator's shape rule in execution order.

#include <fmt/format.h>

#include <map>

#include "engine/graph/typed_graph.hpp"

namespace roofcast {
namespace {

class ShapeInference {
 public:
  ShapeInference(const Graph& graph, Task task) : graph_(graph) {
    typed_.name = graph.name;
    typed_.symbols = graph.symbols;
    typed_.tokens = graph.tokens;
    typed_.notes = graph.notes;
    typed_.constraints = graph.constraints;
    typed_.task = task;
  }

  Result<TypedGraph> run() {
    if (graph_.weights_only()) {
      return fail("holds weights, not the operators of a model", Location{.file = graph_.file},
                  "the model's config.json must lie beside it; `simulate show model` prints the weights");
    }
    auto order = execution_order(graph_);
    if (!order) return tl::unexpected(order.error());
    for (const GraphInput& input : graph_.inputs) {
      if (input.training_only && !training()) continue;
      const TensorId id = new_tensor(value(input.value).name, input.type, TensorRole::input, no_region);
      bind(input.value, id);
      typed_.inputs.push_back(id);
    }
    for (const Region& region : graph_.regions) {
      typed_.regions.push_back(
          {.name = region.name, .repeat = region.repeat, .parent = region.parent, .where = region.where});
    }
    for (const int index : *order) {
      const Node& node = graph_.nodes[static_cast<std::size_t>(index)];
      if (node.training_only && !training()) continue;
      move_to(node.region);
      if (auto problem = add(node, index); !problem.empty()) {
        problems_.insert(problems_.end(), problem.begin(), problem.end());
        return tl::make_unexpected(std::move(problems_));
      }
    }
    move_to(no_region);
    if (!problems_.empty()) return tl::make_unexpected(std::move(problems_));
    for (const ValueId output : graph_.outputs) {
      if (!tensors_.contains(output)) {
        return fail(fmt::format("output '{}' exists only in training", value(output).name),
                    value(output).where,
                    "'outputs' names what inference computes; the loss belongs to [training]");
      }
      typed_.outputs.push_back(tensor_of(output));
    }
    if (graph_.loss && training()) typed_.loss = tensor_of(*graph_.loss);
    return std::move(typed_);
  }

 private:
  static TensorRole role_of(ParameterKind kind) {
    switch (kind) {
      case ParameterKind::learned: return TensorRole::parameter;
      case ParameterKind::statistic: return TensorRole::statistic;
      case ParameterKind::cache: return TensorRole::cache;
    }
    return TensorRole::parameter;
  }

  bool training() const { return typed_.task == Task::training; }
  const Value& value(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  void bind(ValueId id, TensorId tensor) { tensors_[id] = tensor; }
  TensorId tensor_of(ValueId id) const { return tensors_.at(id); }

  TensorId new_tensor(std::string name, TensorType type, TensorRole role, RegionId region,
                      std::optional<TensorId> storage = {}) {
    const auto id = static_cast<TensorId>(typed_.tensors.size());
    typed_.tensors.push_back({.name = std::move(name),
                              .type = std::move(type),
                              .role = role,
                              .region = region,
                              .storage = storage.value_or(id)});
    return id;
  }

  // Leaves and enters regions until `target` is the innermost one.
  void move_to(RegionId target) {
    std::vector<RegionId> path;  // from target up to the first region that we are in
    for (RegionId id = target; id != no_region && !contains_current(id); id = typed_.region(id).parent) {
      path.push_back(id);
    }
    const RegionId common = path.empty() ? target : typed_.region(path.back()).parent;
    while (current_ != common) leave();
    for (auto id = path.rbegin(); id != path.rend(); ++id) enter(*id);
  }

  bool contains_current(RegionId id) const {
    for (RegionId at = current_; at != no_region; at = typed_.region(at).parent) {
      if (at == id) return true;
    }
    return false;
  }

  // What a block hands on may be missing, as in a model without inputs; then the model is refused in the end.
  TensorId carried(ValueId id, const Region& region) {
    const auto found = tensors_.find(id);
    if (found != tensors_.end()) return found->second;
    problems_.push_back(
        {region.where,
         fmt::format("block '{}' hands on '{}', which nothing computes", region.name, value(id).name),
         {}});
    bind(id, new_tensor(value(id).name, {}, TensorRole::activation, current_));
    return tensor_of(id);
  }

  void enter(RegionId id) {
    current_ = id;
    const Region& region = graph_.regions[static_cast<std::size_t>(id)];
    for (const Carry& carry : region.carries) {
      const TensorType type = typed_.tensor(carried(carry.initial, region)).type;
      bind(carry.inside, new_tensor(value(carry.inside).name, type, TensorRole::activation, id));
    }
  }

  void leave() {
    const Region& region = graph_.regions[static_cast<std::size_t>(current_)];
    TypedRegion& typed = typed_.region(current_);
    for (const Carry& carry : region.carries) {
      const Tensor initial = typed_.tensor(carried(carry.initial, region));
      const Tensor next = typed_.tensor(carried(carry.next, region));
      if (initial.type.shape.size() != next.type.shape.size()) {
        problems_.push_back(
            {region.where,
             fmt::format("block '{}' takes {} but leaves {} for its next repetition", region.name,
                         to_string(initial.type.shape), to_string(next.type.shape)),
             {}});
        continue;
      }
      for (std::size_t i = 0; i < initial.type.shape.size(); ++i) {
        if (initial.type.shape[i] == next.type.shape[i]) continue;
        typed_.constraints.push_back(
            {initial.type.shape[i], next.type.shape[i],
             fmt::format("block '{}' takes {} but leaves {} for its next repetition", region.name,
                         to_string(initial.type.shape), to_string(next.type.shape)),
             region.where});
      }
    }
    const RegionId parent = typed.parent;
    for (const Carry& carry : region.carries) {
      const TensorType type = typed_.tensor(tensor_of(carry.next)).type;
      bind(carry.result, new_tensor(value(carry.result).name, type, TensorRole::activation, parent));
      typed_.region(current_).carries.push_back({.initial = tensor_of(carry.initial),
                                                 .inside = tensor_of(carry.inside),
                                                 .next = tensor_of(carry.next),
                                                 .result = tensor_of(carry.result)});
    }
    current_ = parent;
  }

  Diagnostics add(const Node& node, int index) {
    TypedNode typed{.name = node.name,
                    .op = node.op,
                    .attributes = node.attributes,
                    .region = node.region,
                    .where = node.where};
    for (const ValueId input : node.inputs) {
      const auto found = tensors_.find(input);
      if (found == tensors_.end()) {
        return {{node.where,
                 fmt::format("'{}' reads '{}', which exists only in training", node.name, value(input).name),
                 {}}};
      }
      typed.inputs.push_back(found->second);
    }
    auto inference = node.op->infer(view(typed_, typed));
    if (!inference) return inference.error();
    typed_.constraints.insert(typed_.constraints.end(), inference->constraints.begin(),
                              inference->constraints.end());

    for (const ParameterSpec& parameter : inference->parameters) {
      const std::string name = fmt::format("{}.{}", node.name, parameter.name);
      if (typed.parameters.empty() && node.weights_of >= 0) {
        const auto owner = weights_.find(node.weights_of);
        if (owner == weights_.end()) {
          return {{node.where,
                   fmt::format("'{}' shares the weights of a node that has none before it", node.name),
                   "let 'weights_of' name an earlier node with a weight"}};
        }
        const Shape& shared = typed_.tensor(owner->second).type.shape;
        const std::string message =
            fmt::format("'{}' needs a weight of {}, but the one it shares is {}", node.name,
                        to_string(parameter.type.shape), to_string(shared));
        if (shared.size() != parameter.type.shape.size()) return {{node.where, message, {}}};
        for (std::size_t i = 0; i < shared.size(); ++i) {
          if (shared[i] == parameter.type.shape[i]) continue;
          typed_.constraints.push_back({shared[i], parameter.type.shape[i], message, node.where});
        }
        typed.parameters.push_back(owner->second);
        continue;
      }
      const TensorId id = new_tensor(name, parameter.type, role_of(parameter.kind), node.region);
      typed_.tensor(id).used_per_token = parameter.used_per_token;
      typed.parameters.push_back(id);
    }
    if (!typed.parameters.empty()) weights_[index] = typed.parameters.front();

    if (node.outputs.size() > inference->outputs.size()) {
      return {{node.where,
               fmt::format("'{}' names {} outputs, but '{}' has {}", node.name, node.outputs.size(),
                           node.op->name, inference->outputs.size()),
               {}}};
    }
    for (std::size_t i = 0; i < inference->outputs.size(); ++i) {
      const OutputSpec& output = inference->outputs[i];
      std::optional<TensorId> storage;
      TensorRole role = TensorRole::activation;
      if (output.alias) {
        const auto& operands =
            output.alias->from == Operand::From::parameter ? typed.parameters : typed.inputs;
        storage = typed_.tensor(operands[static_cast<std::size_t>(output.alias->index)]).storage;
      }
      const bool named = i < node.outputs.size();
      const std::string name = named ? value(node.outputs[i]).name : fmt::format("{}.{}", node.name, i);
      const TensorId id = new_tensor(name, output.type, role, node.region, storage);
      typed.outputs.push_back(id);
      if (named) bind(node.outputs[i], id);
    }
    typed_.nodes.push_back(std::move(typed));
    return {};
  }

  const Graph& graph_;
  TypedGraph typed_{};
  std::map<ValueId, TensorId> tensors_{};
  std::map<int, TensorId> weights_{};  // node -> its first parameter
  RegionId current_ = no_region;
  Diagnostics problems_{};
};

}  // namespace

Result<TypedGraph> infer_shapes(const Graph& graph, Task task) {
  return ShapeInference(graph, task).run();
}

}  // namespace roofcast
