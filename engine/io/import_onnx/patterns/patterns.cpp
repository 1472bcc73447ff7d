#include "engine/io/import_onnx/patterns/patterns.hpp"

#include <fmt/format.h>

namespace roofcast::onnx {
namespace {

struct Pattern {
  std::string_view name{};  ///< for the reader
  int (*fuse)(Rewriter&) = nullptr;
};

// LayerNorm before RMSNorm: after its subtraction it looks like one.
constexpr Pattern patterns[] = {{"biases of linear layers", fuse_linear_bias},
                                {"LayerNorm", fuse_layer_norm},
                                {"RMSNorm", fuse_rms_norm},
                                {"GroupNorm", fuse_group_norm},
                                {"GELU", fuse_gelu},
                                {"SiLU", fuse_silu},
                                {"HardSwish", fuse_hardswish},
                                {"Mish", fuse_mish},
                                {"attention", fuse_attention}};

}  // namespace

roofcast::Graph fuse_patterns(roofcast::Graph graph, std::vector<TensorType> types) {
  Rewriter rewriter(std::move(graph), std::move(types));
  std::string found;
  for (const Pattern& pattern : patterns) {
    if (const int count = pattern.fuse(rewriter); count > 0)
      found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", pattern.name, count);
  }
  roofcast::Graph result = rewriter.finish();
  if (!found.empty())
    result.notes.push_back(fmt::format("chains of operators were recognised as one: {}", found));
  return result;
}

}  // namespace roofcast::onnx
