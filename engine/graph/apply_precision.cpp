// Element types for all tensors; autocast's casts and the quantisation of operands become nodes.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/graph/typed_graph.hpp"

namespace roofcast {
namespace {

DType wider(DType left, DType right) {
  return bits(left) >= bits(right) ? left : right;
}

class PrecisionPass {
 public:
  PrecisionPass(const TypedGraph& graph, const PrecisionPolicy& policy,
                const std::map<TensorId, DType>& handed_in)
      : result_(graph), policy_(policy) {
    for (const auto& [id, dtype] : handed_in) give(id, dtype);
  }

  TypedGraph run() {
    store_parameters();
    for (const TensorId id : result_.inputs) give(id, policy_.storage);
    const std::vector<TypedNode> nodes = std::move(result_.nodes);
    result_.nodes.clear();
    RegionId region = no_region;
    for (const TypedNode& node : nodes) {
      if (node.region != region) carry_types();
      region = node.region;
      visit(node);
    }
    carry_types();
    return std::move(result_);
  }

 private:
  void give(TensorId id, DType dtype) {
    auto& type = result_.tensor(id).type;
    if (!type.dtype) type.dtype = dtype;
  }

  bool quantizes(const TypedNode& node) const {
    if (!policy_.quantize_activations || !node.op->layer) return false;
    // FP8 convolutions are no part of common libraries; int8 ones are.
    return policy_.compute == DType::int8 || node.op->name == "linear";
  }

  void store_parameters() {
    std::map<TensorId, bool> in_low_precision;
    for (const TypedNode& node : result_.nodes) {
      for (const TensorId id : node.parameters) {
        const bool low = policy_.weight_format && quantizes(node) && result_.tensor(id).type.shape.size() > 1;
        const auto [entry, is_new] = in_low_precision.try_emplace(id, low);
        if (!is_new) entry->second = entry->second && low;
      }
    }
    for (const auto& [id, low] : in_low_precision) give(id, low ? *policy_.weight_format : policy_.storage);
  }

  // What a region hands in has the type of what it starts from, what it leaves that of what it computes.
  // Through nested blocks that takes as many rounds as they are deep.
  void carry_types() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const TypedRegion& region : result_.regions) {
        for (const TypedCarry& carry : region.carries) {
          changed |= pass_on(carry.initial, carry.inside);
          changed |= pass_on(carry.next, carry.result);
        }
      }
    }
  }

  bool pass_on(TensorId from, TensorId to) {
    const auto dtype = result_.tensor(from).type.dtype;
    if (!dtype || result_.tensor(to).type.dtype) return false;
    give(to, *dtype);
    return true;
  }

  TensorId convert(const TypedNode& node, TensorId id, std::string_view op, DType dtype) {
    const Tensor& source = result_.tensor(id);
    const auto converted = static_cast<TensorId>(result_.tensors.size());
    Tensor tensor{.name = fmt::format("{}.{}", source.name, to_string(dtype)),
                  .type = {.shape = source.type.shape, .dtype = dtype},
                  .region = node.region,
                  .storage = converted};
    result_.tensors.push_back(std::move(tensor));
    TypedNode conversion{.name = node.name,
                         .op = find_operator(op),
                         .inputs = {id},
                         .outputs = {converted},
                         .region = node.region,
                         .where = node.where};
    conversion.attributes.set("dtype", std::string(to_string(dtype)));
    result_.nodes.push_back(std::move(conversion));
    return converted;
  }

  void convert_all(TypedNode& node, DType dtype) {
    for (auto* operands : {&node.inputs, &node.parameters}) {
      for (TensorId& id : *operands) {
        const Tensor& tensor = result_.tensor(id);
        const bool converts = tensor.type.dtype && is_floating(*tensor.type.dtype) &&
                              *tensor.type.dtype != dtype && tensor.role != TensorRole::statistic;
        if (converts) id = convert(node, id, "cast", dtype);
      }
    }
  }

  void visit(TypedNode node) {
    DType outputs = policy_.storage;
    if (node.op->cast == CastRule::low) {
      if (policy_.autocast) {
        convert_all(node, policy_.compute);
        outputs = policy_.compute;
      } else if (quantizes(node)) {
        node.inputs[0] = convert(node, node.inputs[0], "quantize", policy_.compute);
      }
    } else if (policy_.autocast && node.op->cast == CastRule::fp32) {
      for (TensorId& id : node.inputs) {
        const auto dtype = result_.tensor(id).type.dtype;
        if (dtype && is_floating(*dtype) && *dtype != DType::fp32)
          id = convert(node, id, "cast", DType::fp32);
      }
      outputs = DType::fp32;
    } else {
      std::optional<DType> widest;
      for (const TensorId id : node.inputs) {
        const auto dtype = result_.tensor(id).type.dtype;
        if (dtype && is_floating(*dtype)) widest = widest ? wider(*widest, *dtype) : *dtype;
      }
      outputs = widest.value_or(policy_.storage);
    }
    for (const TensorId id : node.outputs) {
      const Tensor& tensor = result_.tensor(id);
      const auto source = result_.tensor(tensor.storage).type.dtype;
      const bool view = tensor.storage != id && source.has_value();
      give(id, view ? *source : outputs);
    }
    result_.nodes.push_back(std::move(node));
  }

  TypedGraph result_;
  const PrecisionPolicy& policy_;
};

}  // namespace

TypedGraph apply_precision(const TypedGraph& graph, const PrecisionPolicy& policy) {
  // A block that starts from one type and hands on another one sees the wider of both in all repetitions: its
  // folded nodes have one type. Casts and bytes of the first repetition, or of all others, are then
  // approximate.
  std::map<TensorId, DType> wider_inside;
  while (true) {  // each round widens a tensor, and there are few widths
    TypedGraph result = PrecisionPass(graph, policy, wider_inside).run();
    const std::size_t before = wider_inside.size();
    for (const TypedRegion& region : result.regions) {
      for (const TypedCarry& carry : region.carries) {
        const auto inside = result.tensor(carry.inside).type.dtype;
        for (const auto& other :
             {result.tensor(carry.initial).type.dtype, result.tensor(carry.next).type.dtype}) {
          if (inside && other && is_floating(*other) && bits(*other) > bits(*inside))
            wider_inside[carry.inside] = *other;
        }
      }
    }
    if (wider_inside.size() == before) return result;
  }
}

}  // namespace roofcast
