// Operators that only change or ask for shapes.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

// Dimensions with at most one -1, which takes what is left, and zeros, which keep the input's.
Result<Shape> new_shape(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                        const std::vector<Expr>& given) {
  const bool keeps_zeros = node.integer("allowzero") != 0;
  Shape scaled = given;
  importer.scale_batch(input, scaled);
  Shape shape;
  std::optional<std::size_t> open;
  Expr known{1};
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    if (scaled[i].is(-1)) {
      if (open) return importer.refuse(node, "two dimensions of the new shape are -1");
      open = i;
      shape.emplace_back(1);
      continue;
    }
    if (scaled[i].is(0) && !keeps_zeros) {
      if (i >= input.rank()) return importer.refuse(node, "keeps a dimension that its input does not have");
      shape.push_back(input.shape[i]);
    } else {
      shape.push_back(scaled[i]);
    }
    known *= shape.back();
  }
  if (open) {
    const Expr all = elements(input.shape);
    if (known.is(0)) {
      shape[*open] = Expr{0};
    } else {
      shape[*open] = floor_divide(all, known);
    }
  }
  if (const auto before = small_count(input.shape), after = small_count(shape);
      before && after && *before != *after) {
    return importer.refuse(node,
                           fmt::format("{} cannot become {}", to_string(input.shape), to_string(shape)));
  }
  return shape;
}

Result<Values> import_reshape(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  std::vector<Expr> given;
  if (const auto attribute = node.integers("shape")) {
    given.assign(attribute->begin(), attribute->end());
  } else if (node.has(1)) {
    const auto sizes = whole_numbers(node.input(1));
    if (sizes) {
      given = *sizes;
    } else if (const auto type = importer.declared(node.output_name(0))) {
      importer.note(
          fmt::format("the shape of '{}' is computed from data: taken as the file declares it", node.name()));
      given = type->shape;
    } else {
      return importer.refuse(node, "its shape is computed from data",
                             "only a model whose shapes follow from its inputs' shapes can be counted");
    }
  }
  const auto shape = new_shape(importer, node, node.input(0), given);
  if (!shape) return tl::unexpected(shape.error());
  return one(importer.reshaped(node, node.input(0), *shape));
}

Result<Values> import_flatten(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const std::int64_t given = node.integer("axis", 1);
  const std::int64_t rank = static_cast<std::int64_t>(input.rank());
  const std::int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis > rank)
    return importer.refuse(node, fmt::format("axis {} of {} dimensions", given, rank));
  const auto at = static_cast<std::size_t>(axis);
  return one(importer.reshaped(node, input,
                               {elements(input.shape, 0, at), elements(input.shape, at, input.rank())}));
}

Result<Values> import_squeeze(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  // Axes that only data knows: if as many dimensions are 1, it is those.
  if (!node.has_attribute("axes") && node.has(1) && !node.input(1).known()) {
    const auto ones = std::ranges::count_if(input.shape, [](const Expr& size) { return size.is(1); });
    Shape left;
    std::ranges::copy_if(input.shape, std::back_inserter(left), [](const Expr& size) { return !size.is(1); });
    if (elements(node.input(1).shape).is(ones)) return one(importer.with_shape(node, input, left));
    const auto declared = shape_by_data(importer, node, "which dimensions go", node.input(1));
    if (!declared) return tl::unexpected(declared.error());
    return one(importer.with_shape(node, input, *declared));
  }
  const auto axes = axes_of(importer, node, "axes", 1, input.rank());
  if (!axes) return tl::unexpected(axes.error());
  Shape shape;
  for (std::size_t i = 0; i < input.rank(); ++i) {
    const bool goes = *axes ? std::ranges::find(**axes, i) != (*axes)->end() : input.shape[i].is(1);
    if (!goes) shape.push_back(input.shape[i]);
  }
  return one(importer.with_shape(node, input, shape));
}

Result<Values> import_unsqueeze(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto given = list_of(importer, node, "axes", 1);
  if (!given) return tl::unexpected(given.error());
  if (!*given) return importer.refuse(node, "names no axes");
  const std::size_t rank = input.rank() + (*given)->size();
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t axis : **given) {
    const auto at = axis_of(importer, node, axis, rank);
    if (!at) return tl::unexpected(at.error());
    is_new[*at] = true;
  }
  if (std::ranges::count(is_new, true) != static_cast<std::ptrdiff_t>((*given)->size()))
    return importer.refuse(node, "names an axis twice");
  Shape shape;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(is_new[i] ? Expr{1} : input.shape[next++]);
  return one(importer.with_shape(node, input, shape));
}

Result<Values> import_transpose(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  std::vector<std::int64_t> axes;
  if (const auto given = node.integers("perm"); given && !given->empty()) {
    axes = *given;
  } else {
    for (std::size_t i = input.rank(); i > 0; --i) axes.push_back(static_cast<std::int64_t>(i) - 1);
  }
  std::vector<std::int64_t> sorted = axes;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() != input.rank() || sorted[i] != static_cast<std::int64_t>(i)) {
      return importer.refuse(node, fmt::format("'perm' does not order the {} dimensions", input.rank()));
    }
  }
  if (input.known() && small_count(input.shape) && constant_shape(input.shape)) {
    const std::vector<std::int64_t> from = *constant_shape(input.shape);
    Shape shape;
    std::vector<std::int64_t> strides(from.size(), 1);
    for (std::size_t i = from.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * from[i - 1];
    for (const std::int64_t axis : axes) shape.push_back(input.shape[static_cast<std::size_t>(axis)]);
    const std::vector<std::int64_t> to = *constant_shape(shape);
    Content content;
    for (std::size_t flat = 0; flat < input.content->size(); ++flat) {
      std::size_t rest = flat;
      std::int64_t index = 0;
      for (std::size_t i = to.size(); i > 0; --i) {
        const auto size = static_cast<std::size_t>(to[i - 1]);
        index += static_cast<std::int64_t>(rest % size) * strides[static_cast<std::size_t>(axes[i - 1])];
        rest /= size;
      }
      content.push_back((*input.content)[static_cast<std::size_t>(index)]);
    }
    OnnxValue result = input;
    result.shape = shape;
    result.content = std::move(content);
    if (input.value == no_value) return Values{result};
  }
  return one(importer.permuted(node, input, axes));
}

Result<Values> import_shape(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto rank = static_cast<std::int64_t>(input.rank());
  const auto clamped = [&](std::int64_t value) {
    return std::clamp<std::int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  const std::int64_t start = clamped(node.integer("start", 0));
  const std::int64_t end = clamped(node.integer("end", rank));
  std::vector<Expr> sizes;
  for (std::int64_t i = start; i < end; ++i) sizes.push_back(input.shape[static_cast<std::size_t>(i)]);
  return Values{vector_of(sizes)};
}

Result<Values> import_size(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  return Values{constant({Number{elements(node.input(0).shape)}}, {}, ElementType::int64)};
}

Result<Values> import_identity(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 0); !ok) return tl::unexpected(ok.error());
  if (node.inputs() == 0) return importer.refuse(node, "has no input");
  return Values{node.input(0)};
}

}  // namespace

HandlerRows shape_handlers() {
  static const HandlerRow rows[] = {{"Reshape", import_reshape},     {"Flatten", import_flatten},
                                    {"Squeeze", import_squeeze},     {"Unsqueeze", import_unsqueeze},
                                    {"Transpose", import_transpose}, {"Shape", import_shape},
                                    {"Size", import_size},           {"Identity", import_identity}};
  return rows;
}

}  // namespace roofcast::onnx
