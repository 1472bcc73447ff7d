#pragma once
// A graph whose tensors all have shapes, in execution order. Only `infer_shapes` makes one from a `Graph`.

#include <string>
#include <vector>

#include "engine/base/optimizer.hpp"
#include "engine/base/precision.hpp"
#include "engine/graph/graph.hpp"

namespace roofcast {

using TensorId = int;

enum class TensorRole : std::uint8_t {
  input,
  parameter,  ///< learned
  statistic,  ///< stored with the model, not learned
  cache,      ///< keys and values that stay from token to token
  activation,
  gradient,  ///< of an activation
  parameter_gradient
};

enum class Phase : std::uint8_t { forward, backward, optimizer };

std::string_view to_string(Phase phase);

struct Tensor {
  std::string name{};
  TensorType type{};
  TensorRole role = TensorRole::activation;
  RegionId region = no_region;  ///< exists once per repetition of it
  TensorId storage = 0;         ///< the tensor whose memory this one looks into; itself unless it is a view
  std::optional<Expr> used_per_token{};  ///< of a learned tensor: values that one token needs, if not all
  WeightScales scales{};                 ///< stored beside quantised weights
};

struct TypedNode {
  std::string name{};
  const Operator* op = nullptr;
  Attributes attributes{};
  std::vector<TensorId> inputs{};
  std::vector<TensorId> parameters{};
  std::vector<TensorId> outputs{};
  RegionId region = no_region;
  Phase phase = Phase::forward;
  Location where{};
};

struct TypedCarry {
  TensorId initial = 0;
  TensorId inside = 0;
  TensorId next = 0;
  TensorId result = 0;
};

struct TypedRegion {
  std::string name{};
  Expr repeat{1};
  RegionId parent = no_region;
  RegionId mirror = no_region;  ///< the backward region of a forward one, and the other way round
  std::vector<TypedCarry> carries{};
  Location where{};
};

struct TypedGraph {
  std::string name{};
  std::vector<Symbol> symbols{};
  std::vector<Tensor> tensors{};
  std::vector<TypedNode> nodes{};  ///< in execution order, the nodes of a region together
  std::vector<TypedRegion> regions{};
  std::vector<TensorId> inputs{};
  std::vector<TensorId> outputs{};
  std::optional<TensorId> loss{};
  std::optional<Expr> tokens{};
  std::vector<Constraint> constraints{};
  std::vector<std::string> notes{};
  Task task = Task::inference;

  Tensor& tensor(TensorId id) { return tensors[static_cast<std::size_t>(id)]; }
  const Tensor& tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
  const TypedRegion& region(RegionId id) const { return regions[static_cast<std::size_t>(id)]; }
  TypedRegion& region(RegionId id) { return regions[static_cast<std::size_t>(id)]; }

  /// How often what lives in a region happens: the product of the trip counts around it.
  Expr multiplicity(RegionId region) const;
};

/// A node with its operands' types, as operators take it.
NodeView view(const TypedGraph& graph, const TypedNode& node);

/// Runs each operator's shape rule. Targets and losses are left out of inference. Dimensions that must be
/// equal and are not the same expression end up in `constraints`.
Result<TypedGraph> infer_shapes(const Graph& graph, Task task);

/// Gives each tensor its element type and inserts the casts and quantisations that the policy asks for.
TypedGraph apply_precision(const TypedGraph& graph, const PrecisionPolicy& policy);

/// Replaces each attention by scores, softmax and product, as frameworks without a fused kernel run it.
TypedGraph expand_attention(const TypedGraph& graph);

/// Adds the backward pass and the optimizer step, if there is one. Needs element types. An operator on the
/// way that has no gradient is an error.
Result<TypedGraph> differentiate(const TypedGraph& graph, Optimizer optimizer);

}  // namespace roofcast
