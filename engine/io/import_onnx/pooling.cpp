// Pooling, interpolation and sampling of images.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/window.hpp"

namespace roofcast::onnx {
namespace {

Result<Values> import_pool(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() < 3 || !node.has_attribute("kernel_shape")) {
    return importer.refuse(node, fmt::format("cannot pool {}", to_string(input.shape)));
  }
  auto window = read_window(importer, node, input, Shape(input.rank() - 2, Expr{1}));
  if (!window) return tl::unexpected(window.error());
  if (input.rank() > 5) return importer.refuse(node, "has more than three spatial axes");
  Attributes attributes = window->attributes();
  if (window->round_up) attributes.set("ceil_mode", true);
  const bool mean = node.op() == "AveragePool" || node.op() == "QLinearAveragePool" || node.op() == "LpPool";
  auto result =
      importer.emit_one(node, {.op = mean ? "avg_pool" : "max_pool", .attributes = attributes}, {input});
  if (!result) return tl::unexpected(result.error());
  Values outputs{*result};
  if (node.wants(1)) {  // where each maximum was
    auto places = importer.emit_one(node,
                                    {.op = "opaque",
                                     .attributes = result_attributes(result->shape, ElementType::int64),
                                     .element = ElementType::int64},
                                    {*result});
    if (!places) return tl::unexpected(places.error());
    outputs.push_back(*places);
  }
  return outputs;
}

Result<Values> import_global_pool(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() < 3) return importer.refuse(node, fmt::format("cannot pool {}", to_string(input.shape)));
  if (node.op() == "QLinearGlobalAveragePool" && node.integer("channels_last") != 0) {
    Shape shape(input.rank(), Expr{1});
    shape.front() = input.shape.front();
    shape.back() = input.shape.back();
    return one(importer.emit_one(
        node, {.op = "reduce", .attributes = result_attributes(shape, input.element)}, {input}));
  }
  return one(importer.emit_one(node, {.op = "adaptive_avg_pool"}, {input}));
}

// The places that a pooling remembered get their values back.
Result<Values> import_unpool(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() < 3) return importer.refuse(node, fmt::format("cannot unpool {}", to_string(input.shape)));
  Shape shape = input.shape;
  if (node.has(2)) {
    const auto sizes = whole_numbers(node.input(2));
    auto given = sizes ? Result<Shape>{*sizes} : shape_by_data(importer, node, "its shape", node.input(2));
    if (!given) return tl::unexpected(given.error());
    shape = *std::move(given);
  } else {
    const auto window = read_window(importer, node, input, Shape(input.rank() - 2, Expr{1}));
    if (!window) return tl::unexpected(window.error());
    for (std::size_t i = 0; i + 2 < input.rank(); ++i) {
      shape[2 + i] = (input.shape[2 + i] - Expr{1}) * window->stride[i] - window->begin[i] - window->end[i] +
                     window->kernel[i];
    }
  }
  return one(rearranged(importer, node, input, shape));
}

// ---- interpolation ----

std::int64_t taps_of(const std::string& mode, std::size_t axes) {
  if (mode == "nearest") return 1;
  std::int64_t taps = 1;
  for (std::size_t i = 0; i < axes; ++i) taps *= mode == "cubic" ? 4 : 2;
  return taps;
}

// Inputs are (x, scales) up to set 10, then (x, roi, scales, sizes).
Result<Values> import_resize(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const bool old = node.inputs() == 2 || node.op() == "Upsample";
  const std::size_t scales_at = old ? 1 : 2;
  const auto axes = axes_of(importer, node, "axes", 99, input.rank());
  if (!axes) return tl::unexpected(axes.error());
  const auto axis_at = [&](std::size_t i) { return *axes ? (**axes)[i] : i; };
  const std::size_t wanted = *axes ? (*axes)->size() : input.rank();
  Shape shape = input.shape;
  Content scales;
  if (const auto given = node.reals("scales")) {
    for (const double scale : *given) scales.push_back(Number::real(scale));
  } else if (node.has(scales_at) && node.input(scales_at).known()) {
    scales = *node.input(scales_at).content;
  } else if (node.has_attribute("height_scale")) {
    scales = {Number{1}, Number{1}, Number::real(node.real("height_scale")),
              Number::real(node.real("width_scale"))};
  }
  if (scales.size() == wanted && !scales.empty()) {
    for (std::size_t i = 0; i < wanted; ++i) {
      const auto size = floor(Number{input.shape[axis_at(i)]} * scales[i]).whole();
      if (!size) return importer.refuse(node, "its scales are computed from data");
      shape[axis_at(i)] = *size;
    }
  } else {
    const auto sizes = node.has(3) ? whole_numbers(node.input(3)) : std::nullopt;
    if (sizes && sizes->size() == wanted) {
      for (std::size_t i = 0; i < wanted; ++i) shape[axis_at(i)] = (*sizes)[i];
    } else {
      const std::size_t source = node.has(3) ? 3 : scales_at;
      if (!node.has(source)) return importer.refuse(node, "does not say how large its result is");
      auto given = shape_by_data(importer, node, "the size of its result", node.input(source));
      if (!given) return tl::unexpected(given.error());
      shape = *std::move(given);
    }
  }
  const std::string mode = node.text("mode", "nearest");
  const bool image = input.rank() >= 3 && shape.size() == input.rank() && shape[0] == input.shape[0] &&
                     shape[1] == input.shape[1];
  if (image) {
    Attributes attributes;
    attributes.set("size", Shape(shape.begin() + 2, shape.end()));
    attributes.set("mode", std::string(mode == "nearest" ? "nearest"
                                       : mode == "cubic" ? "bicubic"
                                                         : "bilinear"));
    return one(importer.emit_one(node, {.op = "resize", .attributes = attributes}, {input}));
  }
  Attributes attributes = result_attributes(shape, input.element);
  attributes.set("taps", Expr{taps_of(mode, 2)});
  return one(importer.emit_one(node, {.op = "sample", .attributes = attributes}, {input}));
}

Result<Values> sampled(Importer& importer, const OnnxNode& node, const Shape& shape, std::int64_t taps,
                       const Values& inputs) {
  Attributes attributes = result_attributes(shape, inputs[0].element);
  attributes.set("taps", Expr{taps});
  return one(importer.emit_one(node, {.op = "sample", .attributes = attributes}, inputs));
}

// Each box becomes a grid of averages of bilinear samples.
Result<Values> import_roi_align(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const OnnxValue& boxes = node.input(1);
  if (input.rank() != 4 || boxes.rank() != 2)
    return importer.refuse(node, "wants an image and a list of boxes");
  std::int64_t height = node.integer("output_height", 1);
  std::int64_t width = node.integer("output_width", 1);
  if (const auto pooled = node.integers("pooled_shape"); pooled && pooled->size() == 2) {
    height = (*pooled)[0];
    width = (*pooled)[1];
  }
  if (height < 1 || width < 1) return importer.refuse(node, "has an empty result");
  const std::int64_t ratio = std::max<std::int64_t>(node.integer("sampling_ratio", 0), 1);
  constexpr std::int64_t corners = 4;
  return sampled(importer, node, {boxes.shape[0], input.shape[1], Expr{height}, Expr{width}},
                 corners * ratio * ratio, {input, boxes});
}

Result<Values> import_grid_sample(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const OnnxValue& grid = node.input(1);
  if (input.rank() < 3 || grid.rank() != input.rank())
    return importer.refuse(node, "wants an image and a grid for it");
  Shape shape{input.shape[0], input.shape[1]};
  shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  return sampled(importer, node, shape, taps_of(node.text("mode", "linear"), input.rank() - 2),
                 {input, grid});
}

Result<Values> import_affine_grid(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const auto size = whole_numbers(node.input(1));
  if (!size || size->size() < 4) return importer.refuse(node, "its size is computed from data");
  Shape shape{(*size)[0]};
  shape.insert(shape.end(), size->begin() + 2, size->end());
  shape.emplace_back(static_cast<std::int64_t>(size->size()) - 2);
  Attributes attributes = result_attributes(shape, node.input(0).element);
  attributes.set("operations", Expr{8});
  return one(importer.emit_one(node, {.op = "pointwise", .attributes = attributes}, {node.input(0)}));
}

}  // namespace

HandlerRows pooling_handlers() {
  static const HandlerRow rows[] = {{"MaxPool", import_pool},
                                    {"AveragePool", import_pool},
                                    {"LpPool", import_pool},
                                    {"QLinearAveragePool", import_pool},
                                    {"GlobalAveragePool", import_global_pool},
                                    {"GlobalMaxPool", import_global_pool},
                                    {"GlobalLpPool", import_global_pool},
                                    {"QLinearGlobalAveragePool", import_global_pool},
                                    {"MaxUnpool", import_unpool},
                                    {"Resize", import_resize},
                                    {"Upsample", import_resize},
                                    {"RoiAlign", import_roi_align},
                                    {"MaxRoiPool", import_roi_align},
                                    {"GridSample", import_grid_sample},
                                    {"AffineGrid", import_affine_grid}};
  return rows;
}

}  // namespace roofcast::onnx
