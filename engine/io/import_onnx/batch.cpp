#include "engine/io/import_onnx/batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/typed_graph.hpp"

namespace roofcast::onnx {
namespace {

Bindings values_of(const roofcast::Graph& graph, const Bindings& given, std::optional<std::int64_t> batch) {
  Bindings values;
  for (const Symbol& symbol : graph.symbols) {
    if (const auto found = given.find(symbol.name); found != given.end()) {
      values[symbol.name] = found->second;
    } else if (const auto value = symbol.definition.evaluate(values)) {
      values[symbol.name] = *value;
    }
  }
  if (batch) values["batch"] = *batch;
  return values;
}

bool holds(const TypedGraph& typed, const Bindings& values) {
  for (const Constraint& constraint : typed.constraints) {
    const auto left = constraint.left.evaluate(values);
    const auto right = constraint.right.evaluate(values);
    if (!left || !right || *left != *right) return false;
  }
  return std::ranges::all_of(typed.tensors, [&](const roofcast::Tensor& tensor) {
    return std::ranges::all_of(tensor.type.shape, [&](const Expr& size) {
      if (size.is_constant()) return size.constant() > 0;
      const auto value = size.evaluate(values);
      return value && *value > 0;
    });
  });
}

}  // namespace

bool consistent(const roofcast::Graph& graph, const Bindings& given, std::optional<std::int64_t> batch) {
  const auto typed = infer_shapes(graph, Task::inference);
  return typed && holds(*typed, values_of(graph, given, batch));
}

std::optional<std::int64_t> leading_size(const roofcast::Graph& graph) {
  std::optional<std::int64_t> size;
  for (const GraphInput& input : graph.inputs) {
    if (input.type.shape.empty() || !input.type.shape.front().is_constant()) return std::nullopt;
    const std::int64_t leading = input.type.shape.front().constant();
    if (size && *size != leading) return std::nullopt;
    size = leading;
  }
  return size;
}

bool scales(const roofcast::Graph& scaled, const roofcast::Graph& fixed, std::int64_t batch,
            const Bindings& given) {
  if (scaled.nodes.size() != fixed.nodes.size()) return false;
  const auto typed = infer_shapes(scaled, Task::inference);
  if (!typed || !holds(*typed, values_of(scaled, given, batch)) ||
      !holds(*typed, values_of(scaled, given, 2 * batch)))
    return false;
  return std::ranges::all_of(typed->outputs, [&](TensorId output) {
    const Shape& shape = typed->tensor(output).type.shape;
    return !shape.empty() && shape.front().symbols().contains("batch");
  });
}

void fix_batch(roofcast::Graph& graph, std::int64_t batch) {
  graph.fixed_batch = batch;
  graph.symbols.push_back({.name = "batch", .definition = Expr{batch}, .where = {.file = graph.file}});
  graph.constraints.push_back({Expr::symbol("batch"),
                               Expr{batch},
                               fmt::format("the file is made for a batch of {} only", batch),
                               {.file = graph.file}});
}

}  // namespace roofcast::onnx
