// Losses, and the operators of graphs that hold their own training step.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

// Scores [batch, classes, places...] and a class for each sample and place. A loss per place, or their sum or
// mean.
Result<OnnxValue> likelihood(Importer& importer, const OnnxNode& node, const OnnxValue& logarithms,
                             const OnnxValue& labels) {
  const std::string reduction = node.text("reduction", "mean");
  const Shape shape = reduction == "none" ? labels.shape : Shape{};
  Values inputs{logarithms, labels};
  auto picked = importer.emit_one(
      node, {.op = "gather", .attributes = result_attributes(labels.shape, logarithms.element)}, inputs);
  if (!picked || reduction == "none") return picked;
  return importer.emit_one(node, {.op = "reduce", .attributes = result_attributes(shape, logarithms.element)},
                           {*picked});
}

Result<void> require_labels(const Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return ok;
  const Shape& scores = node.input(0).shape;
  const Shape& labels = node.input(1).shape;
  if (scores.size() < 2 || labels.size() + 1 != scores.size()) {
    return importer.refuse(node, fmt::format("scores {} and labels {} do not go together", to_string(scores),
                                             to_string(labels)));
  }
  return {};
}

Result<Values> import_cross_entropy(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_labels(importer, node); !ok) return tl::unexpected(ok.error());
  auto logarithms = importer.emit_one(node, {.op = "log_softmax"}, {node.input(0)});
  if (!logarithms) return tl::unexpected(logarithms.error());
  auto loss = likelihood(importer, node, *logarithms, node.input(1));
  if (!loss) return tl::unexpected(loss.error());
  return Values{*loss, *logarithms};
}

Result<Values> import_likelihood(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_labels(importer, node); !ok) return tl::unexpected(ok.error());
  return one(likelihood(importer, node, node.input(0), node.input(1)));
}

// ONNX Runtime's training: scores [places, classes] or of one dimension more, labels in any shape.
Result<Values> import_sparse_cross_entropy(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  auto logarithms = importer.emit_one(node, {.op = "log_softmax"}, {node.input(0)});
  if (!logarithms) return tl::unexpected(logarithms.error());
  auto loss = likelihood(importer, node, *logarithms, node.input(1));
  if (!loss) return tl::unexpected(loss.error());
  return Values{*loss, *logarithms};
}

// The gradient of scores from the loss's own gradient and the logarithms of the probabilities.
Result<Values> import_cross_entropy_gradient(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  constexpr std::int64_t operations = 12;
  return one(pointwise(importer, node, {node.input(1)}, node.op(), node.input(1).element, operations));
}

/// Gradients of elementwise operators as ONNX Runtime writes them: as large as input `like`.
struct Gradient {
  std::string_view op{};
  std::size_t like = 0;
  std::int64_t operations = 2;
};

constexpr Gradient gradients[] = {{"ReluGrad", 0, 1},
                                  {"SigmoidGrad", 0, 3},
                                  {"TanhGrad", 0, 3},
                                  {"GeluGrad", 0, 24},
                                  {"FastGeluGrad", 0, 24},
                                  {"QuickGeluGrad", 0, 16},
                                  {"SoftmaxGrad", 0, 5},
                                  {"SoftmaxGrad_13", 0, 5},
                                  {"LogSoftmaxGrad", 0, 5},
                                  {"LogSoftmaxGrad_13", 0, 5},
                                  {"DropoutGrad", 0, 1},
                                  {"BiasGeluGrad_dX", 0, 24},
                                  {"BiasFastGeluGrad_dX", 0, 24}};

Result<Values> import_gradient_of(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const Gradient& row = *std::ranges::find(gradients, node.op(), &Gradient::op);
  Values inputs;
  for (const OnnxValue& input : node.all_inputs()) {
    if (!input.absent && input.shape == node.input(row.like).shape) inputs.push_back(input);
  }
  return one(pointwise(importer, node, inputs, node.op(), node.input(row.like).element, row.operations));
}

// A gradient is added to a buffer. Outputs the buffer or a flag that it was done.
Result<Values> import_accumulator(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  auto sum = pointwise(importer, node, {node.input(0), node.input(1)}, node.op(), node.input(0).element);
  if (!sum) return tl::unexpected(sum.error());
  if (node.op() != "InPlaceAccumulatorV2") return Values{*sum};
  return Values{constant({Number{1}}, {Expr{1}}, ElementType::boolean), *sum};
}

// ---- optimizers: a rate, a count of steps, then all weights, all gradients, all of each state ----

/// How many tensors go with each weight, the gradient and the weight itself included.
struct Rule {
  std::string_view op{};
  std::size_t groups = 3;
  std::int64_t operations = 4;
};

constexpr Rule rules[] = {{"Adam", 4, 14}, {"Momentum", 3, 5}, {"Adagrad", 3, 8}};

Result<Values> import_optimizer(Importer& importer, const OnnxNode& node) {
  constexpr std::size_t first = 2;
  const Rule& rule = *std::ranges::find(rules, node.op(), &Rule::op);
  if (auto ok = require_inputs(importer, node, first + rule.groups); !ok) return tl::unexpected(ok.error());
  const std::size_t weights = (node.inputs() - first) / rule.groups;
  if (weights * rule.groups + first != node.inputs())
    return importer.refuse(node, fmt::format("{} inputs are no whole number of weights", node.inputs()));
  // Weights and states are written, gradients only read.
  Values outputs;
  for (std::size_t group = 0; group < rule.groups; ++group) {
    if (group == 1) continue;
    for (std::size_t i = 0; i < weights; ++i) {
      const OnnxValue& old = node.input(first + group * weights + i);
      Values inputs{old, node.input(first + weights + i)};
      auto updated = pointwise(importer, node, inputs, node.op(), old.element, rule.operations);
      if (!updated) return tl::unexpected(updated.error());
      outputs.push_back(*updated);
    }
  }
  return outputs;
}

// Derivatives of a value with regard to others, each as large as that. What the backward pass costs is in no
// node of the file.
Result<Values> import_gradient(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  importer.note(fmt::format("the backward pass that '{}' stands for is not counted: predict training instead",
                            node.name()));
  Values outputs;
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (!node.has(i)) return importer.refuse(node, "has more results than inputs");
    const OnnxValue& input = node.input(i);
    auto derivative = importer.emit_one(
        node, {.op = "opaque", .attributes = result_attributes(input.shape, input.element)}, {input});
    if (!derivative) return tl::unexpected(derivative.error());
    outputs.push_back(*derivative);
  }
  return outputs;
}

}  // namespace

HandlerRows loss_handlers() {
  static const std::vector<HandlerRow> rows = [] {
    std::vector<HandlerRow> all{{"SoftmaxCrossEntropyLoss", import_cross_entropy},
                                {"SoftmaxCrossEntropyLossInternal", import_cross_entropy},
                                {"NegativeLogLikelihoodLoss", import_likelihood},
                                {"SparseSoftmaxCrossEntropy", import_sparse_cross_entropy},
                                {"SoftmaxCrossEntropyLossGrad", import_cross_entropy_gradient},
                                {"SoftmaxCrossEntropyLossInternalGrad", import_cross_entropy_gradient},
                                {"SparseSoftmaxCrossEntropyGrad", import_cross_entropy_gradient},
                                {"InPlaceAccumulator", import_accumulator},
                                {"InPlaceAccumulatorV2", import_accumulator},
                                {"Gradient", import_gradient}};
    for (const Gradient& row : gradients) all.push_back({row.op, import_gradient_of});
    for (const Rule& rule : rules) all.push_back({rule.op, import_optimizer});
    return all;
  }();
  return rows;
}

}  // namespace roofcast::onnx
