#pragma once
// A model as its file describes it: operators, what feeds them, blocks that repeat. Shapes are not known yet.

#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/expression.hpp"
#include "engine/base/stored_format.hpp"
#include "engine/base/stored_weights.hpp"
#include "engine/base/tensor.hpp"
#include "engine/ops/operator.hpp"

namespace roofcast {

/// A named size of the model: a default value, or an expression over other symbols.
struct Symbol {
  std::string name{};
  Expr definition{};
  Location where{};
  bool from_config = false;  ///< a size of a published model, which its name stands for in reports

  /// Bound by the user or by its default; the others follow from these.
  bool free() const { return definition.is_constant(); }
};

using ValueId = int;
using RegionId = int;
inline constexpr RegionId no_region = -1;

/// Something that flows between operators.
struct Value {
  std::string name{};
  Location where{};
};

struct GraphInput {
  ValueId value = 0;
  TensorType type{};
  bool training_only = false;  ///< targets of the loss
};

struct Node {
  std::string name{};  ///< "encoder.query"
  const Operator* op = nullptr;
  Attributes attributes{};
  std::vector<ValueId> inputs{};
  std::vector<ValueId> outputs{};
  RegionId region = no_region;
  int weights_of = -1;         ///< node whose parameters it shares
  bool training_only = false;  ///< the loss
  Location where{};
};

/// One value that a repeated block hands from one repetition to the next.
struct Carry {
  ValueId initial = 0;  ///< what the first repetition starts from
  ValueId inside = 0;   ///< as the nodes of the block see it
  ValueId next = 0;     ///< what the block computes for the next repetition
  ValueId result = 0;   ///< what the last repetition leaves, as the nodes after the block see it
};

/// A block that repeats. Its nodes may also read values from outside, the same in each repetition.
struct Region {
  std::string name{};
  Expr repeat{1};
  RegionId parent = no_region;
  std::vector<Carry> carries{};
  Location where{};
};

/// A way in which a model is used, such as the two of text generation: reading the prompt, and one token
/// after the other. A phase redefines some of the model's symbols; everything else is the same.
struct ServingPhase {
  std::string name{};
  std::vector<Symbol> symbols{};  ///< redefined ones
  std::optional<Expr> tokens{};   ///< tokens per sample, if unlike the model's
  Location where{};
};

struct Graph {
  std::string name{};
  std::string file{};
  std::vector<Symbol> symbols{};  ///< in an order in which each definition only needs earlier ones
  std::vector<Value> values{};
  std::vector<Node> nodes{};  ///< in any order
  std::vector<Region> regions{};
  std::vector<GraphInput> inputs{};
  std::vector<ValueId> outputs{};
  std::optional<ValueId> loss{};         ///< where training starts from; without it from all outputs
  std::optional<Expr> tokens{};          ///< tokens per sample, for models that people measure in tokens
  std::vector<ServingPhase> phases{};    ///< of inference; without any a model only has its forward pass
  std::optional<StoredFormat> stored{};  ///< if the model comes with quantised weights
  std::vector<std::string> notes{};
  /// What the files with its weights hold, where they are known.
  std::optional<StoredWeights> stored_weights{};

  /// Files with weights say nothing of operators: they can be shown, not predicted.
  bool weights_only() const { return nodes.empty() && stored_weights.has_value(); }
};

/// Nodes in an order in which producers come before consumers and the nodes of a region stand together. A
/// cycle is an error that names the nodes on it.
Result<std::vector<int>> execution_order(const Graph& graph);

}  // namespace roofcast
