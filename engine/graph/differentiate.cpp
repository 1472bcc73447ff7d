// The backward pass: each forward node's gradient steps in reverse order. A repeated block gets a mirror
// block that repeats as often and hands gradients the other way.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/graph/typed_graph.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

class Differentiator {
 public:
  explicit Differentiator(const TypedGraph& graph)
      : graph_(graph), forward_nodes_(graph.nodes.size()), gradients_(graph.tensors.size()) {}

  Result<TypedGraph> run(Optimizer optimizer) {
    find_differentiable();
    std::vector<TypedNode> nodes;
    seed(nodes);
    const std::vector<TypedNode> forward = graph_.nodes;
    backward(forward, 0, forward_nodes_, no_region, no_region, nodes);
    if (!problems_.empty()) return tl::make_unexpected(std::move(problems_));
    graph_.nodes.insert(graph_.nodes.end(), nodes.begin(), nodes.end());
    add_optimizer(optimizer);
    return std::move(graph_);
  }

 private:
  bool wanted(TensorId id) const { return differentiable_.contains(id); }

  // A tensor has a gradient if a learned value takes part in it.
  void find_differentiable() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      if (graph_.tensors[i].role == TensorRole::parameter) differentiable_.insert(static_cast<TensorId>(i));
    }
    std::size_t before = 0;
    do {  // twice at most a level of repetition: what a block hands on may only become differentiable inside
          // of it
      before = differentiable_.size();
      for (const TypedNode& node : graph_.nodes) {
        carry_differentiable();
        if (node.op->gradient == rules::no_gradient) continue;
        const bool any = std::ranges::any_of(node.inputs, [&](TensorId id) { return wanted(id); }) ||
                         std::ranges::any_of(node.parameters, [&](TensorId id) { return wanted(id); });
        if (!any) continue;
        for (const TensorId id : node.outputs) {
          const auto dtype = graph_.tensor(id).type.dtype;
          if (!dtype || is_floating(*dtype)) differentiable_.insert(id);
        }
      }
      carry_differentiable();
    } while (differentiable_.size() != before);
  }

  void carry_differentiable() {
    for (const TypedRegion& region : graph_.regions) {
      for (const TypedCarry& carry : region.carries) {
        if (wanted(carry.initial) || wanted(carry.next)) {
          differentiable_.insert(carry.inside);
          differentiable_.insert(carry.result);
        }
      }
    }
  }

  TensorId new_tensor(std::string name, TensorType type, TensorRole role, RegionId region,
                      std::optional<TensorId> storage = {}) {
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    graph_.tensors.push_back({.name = std::move(name),
                              .type = std::move(type),
                              .role = role,
                              .region = region,
                              .storage = storage.value_or(id)});
    gradients_.emplace_back();
    return id;
  }

  // Copies: a new tensor may move the vector that the arguments would point into.
  TensorId gradient_tensor(TensorId of, RegionId region) {
    const Tensor source = graph_.tensor(of);
    const TensorRole role =
        source.role == TensorRole::parameter ? TensorRole::parameter_gradient : TensorRole::gradient;
    return new_tensor("gradient of " + source.name, source.type, role, region);
  }

  TypedNode fill(std::string name, TensorId tensor, RegionId region) const {
    TypedNode node{.name = std::move(name),
                   .op = find_operator("fill"),
                   .outputs = {tensor},
                   .region = region,
                   .phase = Phase::backward};
    node.attributes = rules::shape_attribute(graph_.tensor(tensor).type.shape);
    return node;
  }

  void seed(std::vector<TypedNode>& nodes) {
    std::vector<TensorId> starts = graph_.outputs;
    if (graph_.loss) {
      starts = {*graph_.loss};
    } else {
      graph_.notes.emplace_back(
          "the model file names no loss: training starts from gradients at all outputs");
    }
    for (const TensorId start : starts) {
      if (!wanted(start) || gradients_[static_cast<std::size_t>(start)]) continue;
      const TensorId gradient = gradient_tensor(start, no_region);
      nodes.push_back(fill(graph_.tensor(start).name, gradient, no_region));
      gradients_[static_cast<std::size_t>(start)] = gradient;
    }
  }

  RegionId child_of(RegionId level, RegionId inner) const {
    RegionId child = inner;
    while (child != level && graph_.region(child).parent != level) child = graph_.region(child).parent;
    return child;
  }

  // The backward nodes of forward[first, last), all of them in `level` or deeper.
  void backward(const std::vector<TypedNode>& forward, std::size_t first, std::size_t last, RegionId level,
                RegionId mirror, std::vector<TypedNode>& nodes) {
    while (last > first) {
      const RegionId region = forward[last - 1].region;
      if (region == level) {
        --last;
        add_gradient_of(forward[last], mirror, nodes);
        continue;
      }
      const RegionId child = child_of(level, region);
      std::size_t begin = last;
      while (begin > first && is_within(forward[begin - 1].region, child)) --begin;
      backward_region(forward, begin, last, child, mirror, nodes);
      last = begin;
    }
  }

  bool is_within(RegionId inner, RegionId outer) const {
    for (; inner != no_region; inner = graph_.region(inner).parent) {
      if (inner == outer) return true;
    }
    return false;
  }

  void backward_region(const std::vector<TypedNode>& forward, std::size_t first, std::size_t last,
                       RegionId level, RegionId parent_mirror, std::vector<TypedNode>& nodes) {
    const std::vector<TypedCarry> carries = graph_.region(level).carries;
    const bool any = std::ranges::any_of(carries, [&](const TypedCarry& carry) {
      return gradients_[static_cast<std::size_t>(carry.result)].has_value();
    });
    if (!any) return;
    const auto mirror = static_cast<RegionId>(graph_.regions.size());
    const TypedRegion source = graph_.region(level);
    graph_.regions.push_back({.name = source.name,
                              .repeat = source.repeat,
                              .parent = parent_mirror,
                              .mirror = level,
                              .where = source.where});
    graph_.region(level).mirror = mirror;

    std::vector<TypedNode> before;  // what must stand before the mirror: accumulators
    std::vector<TypedNode> body;
    std::vector<TypedCarry> handed;
    for (const TypedCarry& carry : carries) {
      if (!wanted(carry.inside)) continue;
      auto incoming = gradients_[static_cast<std::size_t>(carry.result)];
      if (!incoming) {
        incoming = gradient_tensor(carry.result, parent_mirror);
        before.push_back(fill(graph_.tensor(carry.result).name, *incoming, parent_mirror));
      }
      const TensorId inside = gradient_tensor(carry.next, mirror);
      gradients_[static_cast<std::size_t>(carry.next)] = inside;
      handed.push_back({.initial = *incoming, .inside = inside});
    }
    accumulators_.emplace_back();
    levels_.push_back(level);
    prologues_.push_back(&before);
    backward(forward, first, last, level, mirror, body);
    prologues_.pop_back();
    levels_.pop_back();
    const std::map<TensorId, TensorId> accumulated = std::move(accumulators_.back());
    accumulators_.pop_back();

    std::size_t index = 0;
    std::vector<std::pair<TensorId, TensorId>> results;
    for (const TypedCarry& carry : carries) {
      if (!wanted(carry.inside)) continue;
      TypedCarry& hand = handed[index++];
      auto next = gradients_[static_cast<std::size_t>(carry.inside)];
      if (!next) {  // the block ignores what it is handed
        next = gradient_tensor(carry.inside, mirror);
        body.push_back(fill(graph_.tensor(carry.inside).name, *next, mirror));
      }
      hand.next = *next;
      hand.result = gradient_tensor(carry.initial, parent_mirror);
      graph_.tensor(hand.result).role = TensorRole::gradient;
      if (wanted(carry.initial)) results.emplace_back(carry.initial, hand.result);
    }
    graph_.region(mirror).carries = handed;
    nodes.insert(nodes.end(), before.begin(), before.end());
    nodes.insert(nodes.end(), body.begin(), body.end());
    for (const auto& [tensor, gradient] : results) contribute(tensor, gradient, parent_mirror, nodes);
    for (const auto& [tensor, gradient] : accumulated) contribute(tensor, gradient, parent_mirror, nodes);
  }

  // The forward region whose backward nodes are being built.
  RegionId level() const { return levels_.empty() ? no_region : levels_.back(); }

  // Only the sum stays until the optimizer; what is added to it is gone afterwards.
  void accumulate(TensorId sum, TensorId gradient, RegionId region, std::vector<TypedNode>& nodes) {
    graph_.tensor(gradient).role = TensorRole::gradient;
    const Tensor into = graph_.tensor(sum);
    const TensorId result = new_tensor(into.name, into.type, into.role, region, into.storage);
    nodes.push_back({.name = into.name,
                     .op = find_operator("accumulate"),
                     .inputs = {sum, gradient},
                     .outputs = {result},
                     .region = region,
                     .phase = Phase::backward});
  }

  // Adds `gradient` to what has arrived for `tensor`.
  void contribute(TensorId tensor, TensorId gradient, RegionId mirror, std::vector<TypedNode>& nodes) {
    if (graph_.tensor(tensor).region != level()) {
      // Used inside of a block but made outside of it: each repetition adds to one sum.
      auto& sums = accumulators_.back();
      auto found = sums.find(tensor);
      if (found == sums.end()) {
        const RegionId outside = graph_.region(mirror).parent;
        const TensorId sum = gradient_tensor(tensor, outside);
        if (outside != mirror_of(graph_.tensor(tensor).region))
          graph_.tensor(sum).role = TensorRole::gradient;
        prologues_.back()->push_back(fill(graph_.tensor(tensor).name, sum, outside));
        found = sums.emplace(tensor, sum).first;
      }
      accumulate(found->second, gradient, mirror, nodes);
      return;
    }
    auto& existing = gradients_[static_cast<std::size_t>(tensor)];
    if (!existing) {
      existing = gradient;
      return;
    }
    const Tensor first = graph_.tensor(*existing);
    if (first.storage == *existing || first.role == TensorRole::parameter_gradient) {
      accumulate(*existing, gradient, mirror, nodes);
      return;
    }
    // The first part is a view of a gradient that others still need: the sum gets storage of its own.
    const TensorId other = *existing;
    const TensorId sum = gradient_tensor(tensor, mirror);
    gradients_[static_cast<std::size_t>(tensor)] = sum;
    nodes.push_back({.name = graph_.tensor(tensor).name,
                     .op = find_operator("add"),
                     .inputs = {other, gradient},
                     .outputs = {sum},
                     .region = mirror,
                     .phase = Phase::backward});
  }

  RegionId mirror_of(RegionId region) const {
    return region == no_region ? no_region : graph_.region(region).mirror;
  }

  TensorId target_tensor(const TypedNode& node, const Operand& target) const {
    const auto& operands = target.from == Operand::From::parameter ? node.parameters : node.inputs;
    return operands[static_cast<std::size_t>(target.index)];
  }

  void add_gradient_of(const TypedNode& node, RegionId mirror, std::vector<TypedNode>& nodes) {
    const bool reached = std::ranges::any_of(
        node.outputs, [&](TensorId id) { return gradients_[static_cast<std::size_t>(id)].has_value(); });
    const bool needed = std::ranges::any_of(node.inputs, [&](TensorId id) { return wanted(id); }) ||
                        std::ranges::any_of(node.parameters, [&](TensorId id) { return wanted(id); });
    if (!reached || !needed) return;
    if (node.op->gradient == nullptr) {
      problems_.push_back({node.where,
                           fmt::format("'{}': operator '{}' has no gradient, so the model cannot be trained",
                                       node.name, node.op->name),
                           {}});
      return;
    }
    const std::vector<GradientStep> steps = node.op->gradient(view(graph_, node));

    std::vector<bool> used(steps.size(), false);
    for (std::size_t i = steps.size(); i-- > 0;) {
      used[i] = used[i] || std::ranges::any_of(steps[i].targets, [&](const std::optional<Operand>& target) {
                  return target && wanted(target_tensor(node, *target));
                });
      if (!used[i]) continue;
      for (const Operand& operand : steps[i].operands) {
        if (operand.from == Operand::From::step) used[static_cast<std::size_t>(operand.index)] = true;
      }
    }

    std::vector<std::vector<TensorId>> results(steps.size());
    std::vector<std::pair<TensorId, TensorId>> contributions;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (used[i]) results[i] = add_step(node, steps[i], results, mirror, nodes, contributions);
    }
    for (const auto& [tensor, gradient] : contributions) contribute(tensor, gradient, mirror, nodes);
  }

  TensorId operand_tensor(const TypedNode& node, const Operand& operand,
                          const std::vector<std::vector<TensorId>>& results, RegionId mirror,
                          std::vector<TypedNode>& nodes) {
    const auto index = static_cast<std::size_t>(operand.index);
    switch (operand.from) {
      case Operand::From::input: return node.inputs[index];
      case Operand::From::parameter: return node.parameters[index];
      case Operand::From::output: return node.outputs[index];
      case Operand::From::step: return results[index][static_cast<std::size_t>(operand.result)];
      case Operand::From::gradient: break;
    }
    auto& gradient = gradients_[static_cast<std::size_t>(node.outputs[index])];
    if (!gradient) {  // an output that nothing used
      const TensorId zeros = gradient_tensor(node.outputs[index], mirror);
      nodes.push_back(fill(node.name, zeros, mirror));
      gradients_[static_cast<std::size_t>(node.outputs[index])] = zeros;
      return zeros;
    }
    return *gradient;
  }

  std::vector<TensorId> add_step(const TypedNode& node, const GradientStep& step,
                                 const std::vector<std::vector<TensorId>>& results, RegionId mirror,
                                 std::vector<TypedNode>& nodes,
                                 std::vector<std::pair<TensorId, TensorId>>& contributions) {
    TypedNode added{.name = node.name,
                    .op = find_operator(step.op),
                    .attributes = step.attributes,
                    .region = mirror,
                    .phase = Phase::backward,
                    .where = node.where};
    added.attributes.all().erase("inplace");
    for (const Operand& operand : step.operands) {
      added.inputs.push_back(operand_tensor(node, operand, results, mirror, nodes));
    }
    const auto inference = added.op->infer(view(graph_, added));
    if (!inference) {
      problems_.insert(problems_.end(), inference.error().begin(), inference.error().end());
      return std::vector<TensorId>(step.targets.size(), 0);
    }
    graph_.constraints.insert(graph_.constraints.end(), inference->constraints.begin(),
                              inference->constraints.end());
    for (std::size_t i = 0; i < inference->outputs.size(); ++i) {
      TensorType type = inference->outputs[i].type;
      const auto target = i < step.targets.size() ? step.targets[i] : std::nullopt;
      std::string name = fmt::format("{}.gradient", node.name);
      TensorRole role = TensorRole::gradient;
      std::optional<TensorId> storage;
      if (inference->outputs[i].alias) {
        storage =
            graph_.tensor(added.inputs[static_cast<std::size_t>(inference->outputs[i].alias->index)]).storage;
      }
      RegionId region = mirror;
      if (target) {
        const Tensor& of = graph_.tensor(target_tensor(node, *target));
        name = "gradient of " + of.name;
        type.dtype = of.type.dtype;
        if (of.role == TensorRole::parameter && of.region == level()) {
          role = TensorRole::parameter_gradient;
          storage.reset();  // it outlives the gradient that it would look into
        }
      }
      if (!type.dtype) type.dtype = graph_.tensor(added.inputs.front()).type.dtype;
      const TensorId id = new_tensor(std::move(name), type, role, region, storage);
      added.outputs.push_back(id);
      if (target && wanted(target_tensor(node, *target)))
        contributions.emplace_back(target_tensor(node, *target), id);
    }
    std::vector<TensorId> outputs = added.outputs;
    nodes.push_back(std::move(added));
    return outputs;
  }

  void add_optimizer(Optimizer optimizer) {
    if (optimizer == Optimizer::none) return;
    Expr count{0};
    for (const Tensor& tensor : graph_.tensors) {
      if (tensor.role == TensorRole::parameter) {
        count += elements(tensor.type.shape) * graph_.multiplicity(tensor.region);
      }
    }
    TypedNode node{.name = "optimizer", .op = find_operator(to_string(optimizer)), .phase = Phase::optimizer};
    node.attributes.set("elements", count);
    graph_.nodes.push_back(std::move(node));
  }

  TypedGraph graph_;
  std::size_t forward_nodes_;
  std::vector<std::optional<TensorId>> gradients_;
  std::set<TensorId> differentiable_{};
  std::vector<RegionId> levels_{};
  std::vector<std::map<TensorId, TensorId>> accumulators_{};
  std::vector<std::vector<TypedNode>*> prologues_{};
  Diagnostics problems_{};
};

}  // namespace

Result<TypedGraph> differentiate(const TypedGraph& graph, Optimizer optimizer) {
  return Differentiator(graph).run(optimizer);
}

}  // namespace roofcast
