#pragma once
// Chains of small operators that a framework would have run as one. To add a pattern: a file, and a line in
// `patterns.cpp`.

#include <string>
#include <vector>

#include "engine/io/import_onnx/patterns/rewriter.hpp"

namespace roofcast::onnx {

/// Each replaces all chains of its kind and returns how many there were. The multiply-adds of the graph stay
/// the same.
int fuse_linear_bias(Rewriter& graph);
int fuse_layer_norm(Rewriter& graph);
int fuse_rms_norm(Rewriter& graph);
int fuse_group_norm(Rewriter& graph);
int fuse_gelu(Rewriter& graph);
int fuse_silu(Rewriter& graph);
int fuse_hardswish(Rewriter& graph);
int fuse_mish(Rewriter& graph);
int fuse_attention(Rewriter& graph);

/// All patterns in turn. `types` are those of the graph's values. Needs: every node contributes to an output.
/// Notes in the graph how often each was found.
roofcast::Graph fuse_patterns(roofcast::Graph graph, std::vector<TensorType> types);

}  // namespace roofcast::onnx
