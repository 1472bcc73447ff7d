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

  // Layers whose weights the policy quantises.
  bool quantizes(const TypedNode& node) const {
    if (!policy_.weight_format || !node.op->layer) return false;
    const bool expert = node.op->name == "expert_linear";
    // FP8 convolutions are no part of common libraries; int8 ones are.
    const bool integer_product = policy_.quantize_activations && policy_.compute == DType::int8;
    if (node.op->name != "linear" && !expert && !integer_product) return false;
    switch (policy_.quantized_layers) {
      case QuantizedLayers::all: return true;
      case QuantizedLayers::inner: return std::ranges::find(heads_, node.outputs.front()) == heads_.end();
      case QuantizedLayers::experts: return expert;
    }
    return false;
  }

  // The layers that make the model's outputs: from an output back over what has no weights, such as a
  // scaling, to the first layer. Not into blocks that repeat, where a layer is no head.
  void find_heads() {
    std::map<TensorId, const TypedNode*> producers;
    for (const TypedNode& node : result_.nodes) {
      for (const TensorId id : node.outputs) producers[id] = &node;
    }
    for (const TensorId output : result_.outputs) {
      for (auto at = producers.find(output); at != producers.end();) {
        const TypedNode& node = *at->second;
        if (node.region != no_region || node.inputs.empty()) break;
        if (node.op->layer) {
          heads_.push_back(node.outputs.front());
          break;
        }
        at = producers.find(node.inputs.front());
      }
    }
  }

  void store_parameters() {
    find_heads();
    std::map<TensorId, bool> in_low_precision;
    for (const TypedNode& node : result_.nodes) {
      for (const TensorId id : node.parameters) {
        const bool is_matrix = id == node.parameters.front();  // the others are biases
        const bool low = quantizes(node) && is_matrix;
        const auto [entry, is_new] = in_low_precision.try_emplace(id, low);
        if (!is_new) entry->second = entry->second && low;
      }
    }
    for (const auto& [id, low] : in_low_precision) {
      if (result_.tensor(id).role == TensorRole::cache) {
        give(id, policy_.kv_cache.value_or(policy_.storage));
      } else if (low) {
        give(id, *policy_.weight_format);
        result_.tensor(id).scales = policy_.weight_scales;
      } else {
        give(id, policy_.storage);
      }
    }
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
                              *tensor.type.dtype != dtype && tensor.role != TensorRole::statistic &&
                              tensor.role != TensorRole::cache;
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
      } else if (policy_.quantize_activations && quantizes(node)) {
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
    // What a cache hands on has the type that it is kept in.
    const bool reads_cache = std::ranges::any_of(
        node.parameters, [&](TensorId id) { return result_.tensor(id).role == TensorRole::cache; });
    for (const TensorId id : node.outputs) {
      const Tensor& tensor = result_.tensor(id);
      const auto source = result_.tensor(tensor.storage).type.dtype;
      const bool view = tensor.storage != id && source.has_value();
      if (reads_cache && policy_.kv_cache) {
        give(id, *policy_.kv_cache);
      } else {
        give(id, view ? *source : outputs);
      }
    }
    result_.nodes.push_back(std::move(node));
  }

  TypedGraph result_;
  const PrecisionPolicy& policy_;
  std::vector<TensorId> heads_{};  // results of the layers that make the model's outputs
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
