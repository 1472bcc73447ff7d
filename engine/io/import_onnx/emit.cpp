// The part of the importer that builds our graph.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/importer.hpp"

namespace roofcast::onnx {

ValueId Importer::new_value(std::string name, TensorType type) {
  graph_.values.push_back({std::move(name), where()});
  types_.push_back(std::move(type));
  return static_cast<ValueId>(graph_.values.size()) - 1;
}

Result<ValueId> Importer::materialize(const OnnxValue& value, std::string_view name) {
  if (value.value != no_value) return value.value;
  if (value.absent || value.sequence) {
    return fail(fmt::format("'{}' is used as a tensor, but it is {}", value.name.empty() ? name : value.name,
                            value.sequence ? "a sequence" : "not there"),
                where(), "is the file damaged?");
  }
  const auto add = [&](std::string_view op, const Shape& shape, ElementType element, std::string label) {
    Attributes attributes;
    attributes.set("shape", shape);
    const auto dtype = storage(element);
    if (dtype && op != "parameter") attributes.set("dtype", std::string(roofcast::to_string(*dtype)));
    const ValueId id = new_value(label, {.shape = shape, .dtype = dtype});
    graph_.nodes.push_back({.name = std::move(label),
                            .op = find_operator(op),
                            .attributes = std::move(attributes),
                            .outputs = {id},
                            .region = no_region,
                            .where = where()});
    return id;
  };
  if (value.weight == no_weight) {  // computed from sizes
    const bool fixed = std::ranges::all_of(value.shape, &Expr::is_constant);
    return add(fixed ? "constant" : "fill", value.shape, value.element,
               std::string(value.name.empty() ? name : value.name));
  }
  StoredTensor& tensor = stored(value.weight);
  if (tensor.value == no_value) {
    const bool learned = tensor.initializer && is_floating(tensor.element) && !tensor.statistic;
    tensor.value = add(learned ? "parameter" : "constant", tensor.shape, tensor.element, tensor.name);
    const int node = static_cast<int>(graph_.nodes.size()) - 1;
    if (tensor.owner >= 0 && tensor.owned_as == tensor.shape && learned) {
      graph_.nodes.back().weights_of = tensor.owner;
    } else if (tensor.owner < 0) {
      tensor.owner = node;
      tensor.owned_as = tensor.shape;
    }
  }
  if (value.shape == tensor.shape) return tensor.value;
  Attributes attributes;  // a view of it; which one does not matter for its cost
  attributes.set("shape", value.shape);
  const ValueId id = new_value(value.name, {.shape = value.shape, .dtype = storage(value.element)});
  graph_.nodes.push_back({.name = value.name,
                          .op = find_operator("reshape"),
                          .attributes = std::move(attributes),
                          .inputs = {tensor.value},
                          .outputs = {id},
                          .region = region_,
                          .where = where()});
  return id;
}

Result<Values> Importer::emit(const OnnxNode& node, Emission emission, const Values& inputs) {
  const Operator* op = find_operator(emission.op);
  if (op == nullptr) return refuse(node, fmt::format("there is no operator '{}'", emission.op));
  NodeView view{.name = node.name(), .attributes = emission.attributes, .where = where()};
  roofcast::Node made{.name = node.name(), .op = op, .region = region_, .where = where()};
  for (const OnnxValue& input : inputs) {
    auto id = materialize(input, node.name());
    if (!id) return tl::unexpected(id.error());
    made.inputs.push_back(*id);
    view.inputs.push_back({.shape = input.shape, .dtype = type(*id).dtype});
  }
  auto inference = op->infer(view);
  if (!inference) return tl::unexpected(inference.error());
  for (const Constraint& constraint : inference->constraints) {
    if (!constraint.left.is_constant() || !constraint.right.is_constant()) continue;
    return refuse(node, fmt::format("{}: {} and {}", constraint.message, to_string(constraint.left),
                                    to_string(constraint.right)));
  }
  if (emission.outputs > inference->outputs.size()) return refuse(node, "has more results than are known");
  const int index = static_cast<int>(graph_.nodes.size());
  if (!emission.weights.empty() && emission.weights.front().weight != no_weight) {
    StoredTensor& tensor = stored(emission.weights.front().weight);
    const Shape& shape =
        inference->parameters.empty() ? tensor.shape : inference->parameters.front().type.shape;
    if (tensor.owner < 0) {
      tensor.owner = index;
      tensor.owned_as = shape;
    } else if (tensor.owned_as == shape) {
      made.weights_of = tensor.owner;
    }
  }
  Values outputs;
  for (std::size_t i = 0; i < emission.outputs; ++i) {
    const TensorType& result = inference->outputs[i].type;
    const std::string name = node.wants(i) ? node.output_name(i) : node.name();
    const ValueId id = new_value(name, result);
    made.outputs.push_back(id);
    ElementType element = emission.element;
    if (element == ElementType::undefined) {
      element = inputs.empty() ? ElementType::float32 : inputs.front().element;
    }
    outputs.push_back({.name = name, .shape = result.shape, .element = element, .value = id});
  }
  made.attributes = std::move(emission.attributes);
  graph_.nodes.push_back(std::move(made));
  return outputs;
}

Result<OnnxValue> Importer::emit_one(const OnnxNode& node, Emission emission, const Values& inputs) {
  emission.outputs = 1;
  auto outputs = emit(node, std::move(emission), inputs);
  if (!outputs) return tl::unexpected(outputs.error());
  return std::move(outputs->front());
}

Result<OnnxValue> Importer::with_shape(const OnnxNode& node, const OnnxValue& value, const Shape& shape) {
  OnnxValue result = value;
  result.shape = shape;
  if (value.value == no_value) return result;  // constants and weights change their shape for free
  if (value.shape == shape) return result;
  Attributes attributes;
  attributes.set("shape", shape);
  auto viewed = emit_one(node, {.op = "reshape", .attributes = attributes}, {value});
  if (!viewed) return viewed;
  viewed->content = value.content;
  viewed->strided = value.strided;
  return viewed;
}

Result<OnnxValue> Importer::reshaped(const OnnxNode& node, const OnnxValue& value, const Shape& shape) {
  if (value.shape == shape || value.value == no_value || !value.strided) {
    auto result = with_shape(node, value, shape);
    if (result && value.shape != shape) result->strided = false;
    return result;
  }
  auto copied = emit_one(node, {.op = "contiguous"}, {value});
  if (!copied) return copied;
  copied->content = value.content;
  return with_shape(node, *copied, shape);
}

Result<OnnxValue> Importer::permuted(const OnnxNode& node, const OnnxValue& value,
                                     const std::vector<std::int64_t>& axes) {
  Shape shape;
  std::vector<Expr> order;
  std::int64_t last = -1;
  bool moves = false;  // only dimensions of size 1 change places: no elements move
  for (const std::int64_t axis : axes) {
    shape.push_back(value.shape[static_cast<std::size_t>(axis)]);
    order.emplace_back(axis);
    if (shape.back().is(1)) continue;
    moves = moves || axis < last;
    last = axis;
  }
  if (value.value == no_value && !(value.known() && moves)) {
    OnnxValue result = value;
    result.shape = shape;
    if (moves) result.content.reset();
    return result;
  }
  Attributes attributes;
  attributes.set("axes", order);
  auto result = emit_one(node, {.op = "permute", .attributes = attributes}, {value});
  if (result) result->strided = moves || value.strided;
  return result;
}

void Importer::mark_statistic(const OnnxValue& value) {
  if (value.weight != no_weight) stored(value.weight).statistic = true;
}

}  // namespace roofcast::onnx
