// Convolutions of every kind.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/layers.hpp"
#include "engine/io/import_onnx/window.hpp"

namespace roofcast::onnx {
namespace {

// PyTorch's exporter calls a tensor that it has computed after the operator that reads it, "onnx::Conv_497";
// one of the model keeps its own name, "layer1.0.conv1.weight".
bool is_computed_by_export(const Importer& importer, const OnnxValue& value) {
  return importer.is_weight(value) && importer.stored(value.weight).name.starts_with("onnx::");
}

// The export for inference multiplies the scales of a batch normalisation into the weights before it, and
// adds its offsets to their bias. The framework that the model comes from runs both layers.
bool holds_batch_norm(const Importer& importer, const OnnxValue& weight,
                      const std::optional<OnnxValue>& bias) {
  return bias && is_computed_by_export(importer, weight) && is_computed_by_export(importer, *bias);
}

// A weight that is no stored tensor (it is computed in the graph): the same layer, fed by its value.
Result<OnnxValue> layer(Importer& importer, const OnnxNode& node, std::string_view op, Attributes attributes,
                        const OnnxValue& input, const OnnxValue& weight,
                        const std::optional<OnnxValue>& bias) {
  if (holds_batch_norm(importer, weight, bias)) {
    attributes.set("bias", false);
    const auto result = importer.emit_one(
        node, {.op = op, .attributes = std::move(attributes), .weights = {weight}}, {input});
    if (!result) return result;
    importer.note(node,
                  "a batch normalisation was folded into the convolution: it runs as a layer of its own");
    return importer.emit_one(node, {.op = "batch_norm"}, {*result});
  }
  const bool own_bias = bias && importer.is_weight(*bias);
  attributes.set("bias", own_bias);
  Emission emission{.op = op, .attributes = std::move(attributes)};
  emission.weights.push_back(weight);
  if (own_bias) emission.weights.push_back(*bias);
  auto result = importer.emit_one(node, std::move(emission), {input});
  if (!result || !bias || own_bias) return result;
  Shape channels(result->rank(), Expr{1});
  channels[1] = result->shape[1];
  auto stretched = importer.with_shape(node, *bias, channels);
  if (!stretched) return stretched;
  return importer.emit_one(node, {.op = "add"}, {*result, *stretched});
}

}  // namespace

Result<OnnxValue> convolution(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                              const OnnxValue& weight, const std::optional<OnnxValue>& bias) {
  if (input.rank() < 3 || weight.rank() != input.rank()) {
    return importer.refuse(
        node, fmt::format("cannot convolve {} with {}", to_string(input.shape), to_string(weight.shape)));
  }
  const Expr groups{node.integer("group", 1)};
  auto window = read_window(importer, node, input, Shape(weight.shape.begin() + 2, weight.shape.end()));
  if (!window) return tl::unexpected(window.error());
  const Expr channels = weight.shape[1] * groups;
  if (const auto difference = sign(input.shape[1] - channels); !difference || *difference != 0) {
    if (difference) {
      return importer.refuse(node, fmt::format("has {} input channels, but its weight is made for {}",
                                               to_string(input.shape[1]), to_string(channels)));
    }
  }
  Attributes attributes = window->attributes();
  attributes.set("out_channels", weight.shape[0]);
  attributes.set("groups", groups);
  return layer(importer, node, "conv", std::move(attributes), input, weight, bias);
}

namespace {

Result<Values> import_conv(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  auto result = convolution(importer, node, node.input(0), node.input(1),
                            node.has(2) ? std::optional{node.input(2)} : std::nullopt);
  if (!result) return tl::unexpected(result.error());
  // FusedConv: a sum and an activation come with it.
  if (node.has(3)) {
    result = importer.emit_one(node, {.op = "add"}, {*result, node.input(3)});
    if (!result) return tl::unexpected(result.error());
  }
  if (node.has_attribute("activation")) {
    return one(pointwise(importer, node, {*result}, node.text("activation"), result->element, 2));
  }
  return Values{*result};
}

Result<Values> import_conv_transpose(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const OnnxValue& weight = node.input(1);
  if (input.rank() < 3 || weight.rank() != input.rank()) {
    return importer.refuse(
        node, fmt::format("cannot convolve {} with {}", to_string(input.shape), to_string(weight.shape)));
  }
  const std::size_t axes = input.rank() - 2;
  auto window = read_window(importer, node, input, Shape(weight.shape.begin() + 2, weight.shape.end()), true);
  if (!window) return tl::unexpected(window.error());
  Shape extra(axes, Expr{0});
  if (const auto given = node.integers("output_padding"); given && given->size() == axes) {
    for (std::size_t i = 0; i < axes; ++i) extra[i] = Expr{(*given)[i]};
  }
  // A given output shape decides the padding; so does SAME.
  const auto given = node.integers("output_shape");
  const std::string automatic = node.text("auto_pad", "NOTSET");
  if ((given && given->size() >= axes) || automatic.starts_with("SAME")) {
    for (std::size_t i = 0; i < axes; ++i) {
      const Expr size =
          given ? Expr{(*given)[given->size() - axes + i]} : input.shape[2 + i] * window->stride[i];
      const Expr total = (input.shape[2 + i] - Expr{1}) * window->stride[i] + extra[i] +
                         window->dilation[i] * (window->kernel[i] - Expr{1}) + Expr{1} - size;
      const auto below = sign(total);
      if (below && *below < 0) {  // larger than the window reaches: the rest is padding of the output
        extra[i] += Expr{0} - total;
        window->begin[i] = window->end[i] = Expr{0};
      } else {
        window->begin[i] = floor_divide(total, Expr{2});
        window->end[i] = total - window->begin[i];
      }
    }
  }
  Attributes attributes = window->attributes();
  const Expr groups{node.integer("group", 1)};
  attributes.set("out_channels", weight.shape[1] * groups);
  attributes.set("groups", groups);
  attributes.set("output_padding", extra);
  return one(layer(importer, node, "conv_transpose", std::move(attributes), input, weight,
                   node.has(2) ? std::optional{node.input(2)} : std::nullopt));
}

// Samples at learned places, then an ordinary convolution over the samples.
Result<Values> import_deformable(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  auto result = convolution(importer, node, input, node.input(1),
                            node.has(3) ? std::optional{node.input(3)} : std::nullopt);
  if (!result) return tl::unexpected(result.error());
  Shape columns{input.shape[0], input.shape[1] * elements(node.input(1).shape, 2, node.input(1).rank())};
  columns.insert(columns.end(), result->shape.begin() + 2, result->shape.end());
  auto samples =
      importer.emit_one(node, {.op = "sample", .attributes = result_attributes(columns, input.element)},
                        {input, node.input(2)});
  if (!samples) return tl::unexpected(samples.error());
  // The convolution was written over the input; its samples are as large as a window at each place, so only
  // this further read and write is added.
  return one(importer.emit_one(
      node, {.op = "opaque", .attributes = result_attributes(result->shape, result->element)},
      {*result, *samples}));
}

Result<Values> import_col2im(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const auto image = whole_numbers(node.input(1));
  const auto block = whole_numbers(node.input(2));
  if (!image || !block || node.input(0).rank() < 2)
    return importer.refuse(node, "its sizes are computed from data");
  Shape shape{node.input(0).shape[0], floor_divide(node.input(0).shape[1], elements(*block))};
  shape.insert(shape.end(), image->begin(), image->end());
  return one(rearranged(importer, node, node.input(0), shape));
}

}  // namespace

HandlerRows convolution_handlers() {
  static const HandlerRow rows[] = {{"Conv", import_conv},
                                    {"FusedConv", import_conv},
                                    {"ConvTranspose", import_conv_transpose},
                                    {"DeformConv", import_deformable},
                                    {"Col2Im", import_col2im}};
  return rows;
}

}  // namespace roofcast::onnx
