// Tensors joined, cut, stretched, repeated and padded.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {
Result<Values> import_concat(Importer& importer, const OnnxNode& node) {
  Values inputs;
  for (const OnnxValue& input : node.all_inputs()) {
    if (input.absent) continue;
    const bool empty = std::ranges::any_of(input.shape, [](const Expr& size) { return size.is(0); });
    if (!empty) inputs.push_back(input);
  }
  if (inputs.empty()) {
    if (node.inputs() == 0) return importer.refuse(node, "has no inputs");
    return Values{node.input(0)};
  }
  const auto axis = axis_of(importer, node, node.integer("axis", 1), inputs[0].rank());
  if (!axis) return tl::unexpected(axis.error());
  Shape shape = inputs[0].shape;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].rank() != shape.size())
      return importer.refuse(node, "its inputs have different numbers of dimensions");
    shape[*axis] += inputs[i].shape[*axis];
  }
  const bool known = std::ranges::all_of(inputs, &OnnxValue::known);
  if (known && small_count(shape)) {
    // Rows before the axis, each from all inputs in turn.
    std::size_t rows = 1;
    for (std::size_t i = 0; i < *axis; ++i) rows *= static_cast<std::size_t>(shape[i].constant());
    Content content;
    for (std::size_t row = 0; row < rows; ++row) {
      for (const OnnxValue& input : inputs) {
        const std::size_t length = input.content->size() / std::max<std::size_t>(rows, 1);
        for (std::size_t i = 0; i < length; ++i) content.push_back((*input.content)[row * length + i]);
      }
    }
    return Values{constant(std::move(content), shape, inputs[0].element)};
  }
  if (inputs.size() == 1) return Values{inputs[0]};
  Attributes attributes;
  attributes.set("axis", Expr{static_cast<std::int64_t>(*axis)});
  return one(importer.emit_one(node, {.op = "concat", .attributes = attributes}, inputs));
}

Result<Values> import_split(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto axis = axis_of(importer, node, node.integer("axis", 0), input.rank());
  if (!axis) return tl::unexpected(axis.error());
  std::vector<Expr> sizes;
  if (const auto given = node.integers("split")) {
    sizes.assign(given->begin(), given->end());
  } else if (node.has(1)) {
    const auto known = whole_numbers(node.input(1));
    if (!known) {
      return importer.refuse(node, fmt::format("how large its parts are {}", unknown_because(node.input(1))));
    }
    sizes = *known;
  } else {
    const auto parts = node.integer("num_outputs", static_cast<std::int64_t>(node.outputs()));
    constexpr std::int64_t most_parts = 65'536;
    if (parts < 1 || parts > most_parts)
      return importer.refuse(node, fmt::format("splits into {} parts", parts));
    const Expr chunk = ceil_divide(input.shape[*axis], Expr{parts});
    for (std::int64_t i = 0; i + 1 < parts; ++i) sizes.push_back(chunk);
    sizes.push_back(input.shape[*axis] - Expr{parts - 1} * chunk);
  }
  // Parts of known sizes say how large a dimension is that the file leaves open.
  if (const Expr total = std::accumulate(sizes.begin(), sizes.end(), Expr{0}); total.is_constant())
    importer.settle(input.shape[*axis], total.constant());
  if (input.known() && small_count(input.shape)) {
    std::size_t rows = 1;
    for (std::size_t i = 0; i < *axis; ++i) rows *= static_cast<std::size_t>(input.shape[i].constant());
    std::size_t inner = 1;
    for (std::size_t i = *axis + 1; i < input.rank(); ++i)
      inner *= static_cast<std::size_t>(input.shape[i].constant());
    const std::size_t length = rows == 0 ? 0 : input.content->size() / rows;
    Values outputs;
    std::size_t begin = 0;
    for (const Expr& size : sizes) {
      if (!size.is_constant() || size.constant() < 0) break;
      const std::size_t width = static_cast<std::size_t>(size.constant()) * inner;
      if (begin + width > length) break;
      Content content;
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < width; ++i) content.push_back((*input.content)[row * length + begin + i]);
      }
      begin += width;
      Shape shape = input.shape;
      shape[*axis] = size;
      outputs.push_back(constant(std::move(content), shape, input.element));
    }
    if (outputs.size() == sizes.size()) return outputs;
  }
  Attributes attributes;
  attributes.set("axis", Expr{static_cast<std::int64_t>(*axis)});
  attributes.set("sizes", sizes);
  auto outputs =
      importer.emit(node, {.op = "split", .attributes = attributes, .outputs = sizes.size()}, {input});
  if (outputs) {
    for (OnnxValue& output : *outputs) output.strided = true;
  }
  return outputs;
}

Result<Values> import_expand(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto sizes = whole_numbers(node.input(1));
  auto shape = sizes ? broadcast_shape(importer, node, input.shape, *sizes)
                     : shape_by_data(importer, node, "its shape", node.input(1));
  if (!shape) return tl::unexpected(shape.error());
  if (*shape == input.shape) return Values{input};
  const auto to = constant_shape(*shape);
  if (input.known() && to && small_count(*shape) && constant_shape(input.shape)) {
    Content content;
    for (const std::size_t index : broadcast_indices(*constant_shape(input.shape), *to))
      content.push_back((*input.content)[index]);
    return Values{constant(std::move(content), *shape, input.element)};
  }
  if (std::ranges::any_of(*shape, [](const Expr& size) { return size.is(0); }))
    return Values{constant({}, *shape, input.element)};
  Attributes attributes;
  attributes.set("shape", *shape);
  auto result = importer.emit_one(node, {.op = "strided_view", .attributes = attributes}, {input});
  if (result) result->strided = true;
  return one(std::move(result));
}

Result<Values> import_tile(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto repeats = whole_numbers(node.input(1));
  if (!repeats) {
    const auto shape = shape_by_data(importer, node, "how often it repeats", node.input(1));
    if (!shape) return tl::unexpected(shape.error());
    return one(rearranged(importer, node, input, *shape));
  }
  if (repeats->size() != input.rank())
    return importer.refuse(node, fmt::format("repeats {} dimensions of {}", repeats->size(), input.rank()));
  Shape shape;
  for (std::size_t i = 0; i < input.rank(); ++i) shape.push_back(input.shape[i] * (*repeats)[i]);
  if (shape == input.shape) return Values{input};
  if (input.known() && small_count(shape) && constant_shape(shape)) {
    const std::vector<std::int64_t> from = *constant_shape(input.shape);
    const std::vector<std::int64_t> to = *constant_shape(shape);
    Content content;
    const std::int64_t count = *small_count(shape);
    for (std::int64_t flat = 0; flat < count; ++flat) {
      std::int64_t rest = flat;
      std::int64_t index = 0;
      std::int64_t stride = 1;
      for (std::size_t i = to.size(); i > 0; --i) {
        index += ((rest % to[i - 1]) % from[i - 1]) * stride;
        rest /= to[i - 1];
        stride *= from[i - 1];
      }
      content.push_back((*input.content)[static_cast<std::size_t>(index)]);
    }
    return Values{constant(std::move(content), shape, input.element)};
  }
  return one(rearranged(importer, node, input, shape));
}

Result<Values> import_pad(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  std::vector<Expr> pads;
  if (const auto given = node.integers(node.has_attribute("paddings") ? "paddings" : "pads")) {
    pads.assign(given->begin(), given->end());
  } else {
    const auto known = node.has(1) ? whole_numbers(node.input(1)) : std::nullopt;
    if (!known && !node.has(1)) return importer.refuse(node, "does not say how much it pads");
    if (!known) {
      const auto shape = shape_by_data(importer, node, "how much it pads", node.input(1));
      if (!shape) return tl::unexpected(shape.error());
      return one(rearranged(importer, node, input, *shape));
    }
    pads = *known;
  }
  const auto axes = axes_of(importer, node, "axes", 3, input.rank());
  if (!axes) return tl::unexpected(axes.error());
  const std::size_t padded = *axes ? (*axes)->size() : input.rank();
  if (pads.size() != 2 * padded) {
    return importer.refuse(node, fmt::format("has {} paddings for {} dimensions", pads.size(), padded));
  }
  Shape shape = input.shape;
  bool grows = false;
  for (std::size_t i = 0; i < padded; ++i) {
    shape[*axes ? (**axes)[i] : i] += pads[i] + pads[padded + i];
    grows = grows || !pads[i].is(0) || !pads[padded + i].is(0);
  }
  if (!grows) return Values{input};
  return one(rearranged(importer, node, input, shape));
}

// Blocks of space become channels, or the other way round.
Result<Values> import_space(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() != 4) return importer.refuse(node, "wants [batch, channels, height, width]");
  const Expr block{node.integer("blocksize", 1)};
  if (block.constant() < 1) return importer.refuse(node, "has a block size below 1");
  Shape shape = input.shape;
  if (node.op() == "DepthToSpace") {
    shape = {shape[0], floor_divide(shape[1], block * block), shape[2] * block, shape[3] * block};
  } else {
    shape = {shape[0], shape[1] * block * block, floor_divide(shape[2], block),
             floor_divide(shape[3], block)};
  }
  return one(rearranged(importer, node, input, shape));
}

// The shape stays: reversed parts, a triangle with the rest set to zero.
Result<Values> import_copy(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  return one(rearranged(importer, node, node.input(0), node.input(0).shape));
}

}  // namespace

HandlerRows copy_handlers() {
  static const HandlerRow rows[] = {
      {"Concat", import_concat},      {"Split", import_split}, {"Expand", import_expand},
      {"Tile", import_tile},          {"Pad", import_pad},     {"DepthToSpace", import_space},
      {"SpaceToDepth", import_space}, {"Trilu", import_copy},  {"ReverseSequence", import_copy}};
  return rows;
}

}  // namespace roofcast::onnx
