#pragma once
// Attention for the importers that come across it.

#include "engine/io/import_onnx/importer.hpp"

namespace roofcast::onnx {

/// Everything as [batch, length, heads * head size], keys and values with those of the past in front.
struct AttentionParts {
  OnnxValue query{};
  OnnxValue key{};
  OnnxValue value{};
  std::optional<OnnxValue> bias{};  ///< goes with [batch, heads, query length, key length]
  Expr heads{1};
  Expr kv_heads{1};
  bool causal = false;
};

/// [batch, length, heads * value size]
Result<OnnxValue> attend(Importer& importer, const OnnxNode& node, const AttentionParts& parts);

/// Projects a sequence to queries, keys and values with one matrix [in, sum of sizes], then attends. Inputs
/// of the node: `past` is the index of [2, batch, heads, length, head size], `bias` that of a bias of the
/// scores.
Result<Values> self_attention(Importer& importer, const OnnxNode& node, const OnnxValue& weight,
                              const std::optional<OnnxValue>& projection_bias, std::size_t mask,
                              std::size_t past, std::size_t bias);

}  // namespace roofcast::onnx
