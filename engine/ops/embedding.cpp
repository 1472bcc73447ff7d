// Rows of a learned table, looked up by index.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule embedding_attributes[] = {
    {"num_embeddings", AttributeKind::size, true, "rows of the table"},
    {"embedding_dim", AttributeKind::size, true, "values per row"}};

Result<Inference> embedding(const NodeView& node, Shape shape) {
  const Expr dim = node.attributes.size("embedding_dim");
  shape.push_back(dim);
  return Inference{.outputs = {{.type = {.shape = shape}}},
                   .parameters = {{"weight", {.shape = {node.attributes.size("num_embeddings"), dim}}}}};
}

Result<Inference> infer_embedding(const NodeView& node) {
  return embedding(node, node.inputs[0].shape);
}

// Sums the rows of each bag: [batch, bag] indices give [batch, embedding_dim].
Result<Inference> infer_embedding_bag(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 2, "[batch, bag]"); !ok) return tl::unexpected(ok.error());
  const Shape& indices = node.inputs[0].shape;
  return embedding(node, Shape(indices.begin(), indices.end() - 1));
}

std::vector<KernelSpec> kernels_embedding(const NodeView& node) {
  const Expr rows = elements(node.inputs[0].shape);
  const Expr row = node.parameters[0].shape[1];
  // Reads the gathered rows, not the table.
  return {{.name = "gather rows",
           .form = Gather<Expr>{.rows = rows, .row_elements = row},
           .reads = {{Operand::input(0), {}}, {Operand::parameter(0), rows * row}},
           .writes = whole({Operand::output()})}};
}

std::vector<GradientStep> gradient_embedding(const NodeView& node) {
  return {{.op = "embedding_backward",
           .attributes = shape_attribute(node.parameters[0].shape),
           .operands = {Operand::gradient(), Operand::input(0)},
           .targets = {Operand::parameter(0)}}};
}

// A dense gradient: the whole table is filled with zeros, then the rows that occurred are added.
std::vector<KernelSpec> kernels_embedding_backward(const NodeView& node) {
  const Expr rows = elements(node.inputs[1].shape);
  const Expr row = node.outputs[0].shape[1];
  return {
      stream("fill", StreamKind::copy, elements(node.outputs[0].shape), 0, {}, whole({Operand::output()})),
      {.name = "scatter rows",
       .form = Gather<Expr>{.scatter = true, .rows = rows, .row_elements = row},
       .operations = rows * row,
       .reads = {{Operand::input(0), {}}, {Operand::input(1), {}}, {Operand::output(), rows * row}},
       .writes = {{Operand::output(), rows * row}}}};
}

Operator lookup(std::string_view name, std::string_view summary,
                Result<Inference> (*infer)(const NodeView&)) {
  return {.name = name,
          .summary = summary,
          .attributes = embedding_attributes,
          .infer = infer,
          .gradient = gradient_embedding,
          .kernels = kernels_embedding};
}

}  // namespace

OperatorRows embedding_operators() {
  static const Operator rows[] = {
      lookup("embedding", "a table row per index", infer_embedding),
      lookup("embedding_bag", "the sum of the table rows of each bag of indices", infer_embedding_bag),
      {.name = "embedding_backward",
       .least_inputs = 2,
       .most_inputs = 2,
       .in_model_files = false,
       .infer = like_shape_attribute,
       .kernels = kernels_embedding_backward},
  };
  return rows;
}

}  // namespace roofcast
