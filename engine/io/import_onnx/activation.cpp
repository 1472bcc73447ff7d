// Activation functions, softmax, dropout.

#include <fmt/format.h>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

struct Activation {
  std::string_view op{};
  std::string_view ours{};  ///< empty: `pointwise`
  std::int64_t operations = 1;
};

constexpr Activation activations[] = {{"Relu", "relu"},
                                      {"LeakyRelu", "leaky_relu"},
                                      {"QLinearLeakyRelu", "leaky_relu"},
                                      {"Elu", "elu"},
                                      {"Celu", {}, 12},
                                      {"Selu", {}, 12},
                                      {"Gelu", "gelu"},
                                      {"FastGelu", "gelu"},
                                      {"QuickGelu", "silu"},
                                      {"Silu", "silu"},
                                      {"Swish", "silu"},
                                      {"Mish", {}, 24},
                                      {"Sigmoid", "sigmoid"},
                                      {"QLinearSigmoid", "sigmoid"},
                                      {"Tanh", "tanh"},
                                      {"Softplus", "softplus"},
                                      {"Softsign", {}, 3},
                                      {"HardSigmoid", "hardsigmoid"},
                                      {"HardSwish", "hardswish"},
                                      {"ThresholdedRelu", {}, 2},
                                      {"Shrink", {}, 3},
                                      {"ImageScaler", {}, 2},
                                      {"ScaledTanh", {}, 14},
                                      {"ParametricSoftplus", {}, 24},
                                      {"Affine", {}, 2}};

Result<Values> import_activation(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  for (const Activation& row : activations) {
    if (row.op != node.op()) continue;
    OnnxValue input = node.input(0);
    // ONNX Runtime's FastGelu takes a bias along; quantised ones bring scales.
    if (node.op() == "FastGelu" && node.has(1)) {
      auto sum = pointwise(importer, node, {input, node.input(1)}, "Add", input.element);
      if (!sum) return tl::unexpected(sum.error());
      input = *std::move(sum);
    }
    if (row.ours.empty())
      return one(pointwise(importer, node, {input}, row.op, input.element, row.operations));
    return one(importer.emit_one(node, {.op = row.ours}, {input}));
  }
  return importer.refuse(node, "is no activation");
}

Result<Values> import_softmax(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const std::string_view op = node.op() == "LogSoftmax" ? "log_softmax" : "softmax";
  // Before operator set 13 everything from the axis on was one dimension. The cost is the same for each.
  const OnnxValue& input = node.input(0);
  Attributes attributes;
  if (input.rank() > 0) {
    const auto axis =
        axis_of(importer, node, node.integer("axis", node.version() < 13 ? 1 : -1), input.rank());
    if (!axis && node.has_attribute("axis")) return tl::unexpected(axis.error());
    if (axis && *axis + 1 != input.rank()) attributes.set("axis", Expr{static_cast<std::int64_t>(*axis)});
  }
  return one(importer.emit_one(node, {.op = op, .attributes = attributes}, {input}));
}

// In inference it is a view; the mask is all ones.
Result<Values> import_dropout(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  Values outputs{input};
  if (input.value != no_value) {
    auto result = importer.emit_one(node, {.op = "dropout"}, {input});
    if (!result) return tl::unexpected(result.error());
    outputs[0] = *result;
    outputs[0].strided = input.strided;
  }
  if (node.wants(1)) {
    const ElementType element = node.version() < 10 ? input.element : ElementType::boolean;
    auto mask = importer.emit_one(
        node, {.op = "fill", .attributes = result_attributes(input.shape, element), .element = element}, {});
    if (!mask) return tl::unexpected(mask.error());
    outputs.push_back(*mask);
  }
  return outputs;
}

}  // namespace

HandlerRows activation_handlers() {
  static const std::vector<HandlerRow> rows = [] {
    std::vector<HandlerRow> all;
    for (const Activation& row : activations) all.push_back({row.op, import_activation});
    all.push_back({"Softmax", import_softmax});
    all.push_back({"LogSoftmax", import_softmax});
    all.push_back({"Hardmax", import_softmax});
    all.push_back({"Dropout", import_dropout});
    return all;
  }();
  return rows;
}

}  // namespace roofcast::onnx
