#pragma once
// Typed graphs in words, so that a test can compare them with a list.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/graph/typed_graph.hpp"

namespace doctest {
template <>
struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& value) {
    return fmt::format("{}", fmt::join(value, "\n          ")).c_str();
  }
};
}  // namespace doctest

namespace roofcast {

inline std::string names_of(const TypedGraph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> names;
  for (const TensorId id : ids) names.push_back(graph.tensor(id).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "fc: linear(x) -> fc", one a node of `phase`.
inline std::vector<std::string> steps(const TypedGraph& graph, Phase phase = Phase::forward) {
  std::vector<std::string> all;
  for (const TypedNode& node : graph.nodes) {
    if (node.phase != phase) continue;
    all.push_back(fmt::format("{}: {}({}) -> {}", node.name, node.op->name, names_of(graph, node.inputs),
                              names_of(graph, node.outputs)));
  }
  return all;
}

inline const Tensor& tensor_named(const TypedGraph& graph, std::string_view name) {
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.name == name) return tensor;
  }
  FAIL("no tensor is named ", name);
  return graph.tensors.front();
}

/// "x [2, 8] fp32": the inputs of the first node of that name and operator, then its parameters.
inline std::vector<std::string> operands(const TypedGraph& graph, std::string_view name,
                                         std::string_view op) {
  for (const TypedNode& node : graph.nodes) {
    if (node.name != name || node.op->name != op) continue;
    std::vector<std::string> all;
    for (const auto* ids : {&node.inputs, &node.parameters}) {
      for (const TensorId id : *ids) {
        const Tensor& tensor = graph.tensor(id);
        all.push_back(fmt::format("{} {} {}", tensor.name, to_string(tensor.type.shape),
                                  tensor.type.dtype ? to_string(*tensor.type.dtype) : "real"));
      }
    }
    return all;
  }
  FAIL("no node ", name, ": ", op);
  return {};
}

inline int count_of(const TypedGraph& graph, std::string_view op) {
  int count = 0;
  for (const TypedNode& node : graph.nodes) count += node.op->name == op ? 1 : 0;
  return count;
}

inline std::string dtype_of(const TypedGraph& graph, std::string_view tensor) {
  const auto dtype = tensor_named(graph, tensor).type.dtype;
  return dtype ? std::string(to_string(*dtype)) : "real";
}

}  // namespace roofcast
