// Parts of tensors: views, where nothing has to be computed to find them.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

/// One axis of a slice: where it starts and how many it takes.
struct Range {
  std::size_t axis = 0;
  Expr start{0};
  Expr length{0};
  std::int64_t step = 1;
};

// An index as the operator counts: from the end if negative, then within bounds.
Expr clamped(Importer& importer, Expr index, const Expr& size, std::int64_t lowest, const Expr& highest) {
  constexpr std::int64_t unlimited = 1LL << 40;
  if (index.is_constant()) {
    if (index.constant() >= unlimited) return highest;
    if (index.constant() <= -unlimited) return Expr{lowest};
    if (index.constant() < 0) index = size + index;
  } else if (importer.less(index, Expr{0})) {
    index = size + index;
  }
  const auto below = sign(index - Expr{lowest});
  if (below && *below < 0) return Expr{lowest};
  if (!below) index = maximum(index, Expr{lowest});
  const auto above = sign(highest - index);
  if (above && *above < 0) return highest;
  if (above) return index;
  return minimum(index, highest);
}

Result<std::vector<Range>> ranges_of(Importer& importer, const OnnxNode& node, const OnnxValue& input) {
  const auto list = [&](std::string_view attribute, std::size_t index) -> std::optional<std::vector<Expr>> {
    if (const auto given = node.integers(attribute)) return std::vector<Expr>(given->begin(), given->end());
    if (!node.has(index)) return std::nullopt;
    return whole_numbers(node.input(index));
  };
  const auto starts = list("starts", 1);
  const auto ends = list("ends", 2);
  if (!starts || !ends || starts->size() != ends->size()) return std::vector<Range>{};
  const auto axes = axes_of(importer, node, "axes", 3, input.rank());
  if (!axes) return tl::unexpected(axes.error());
  const auto steps = list_of(importer, node, "steps", 4);
  if (!steps) return tl::unexpected(steps.error());
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    Range range{.axis = *axes ? (i < (*axes)->size() ? (**axes)[i] : input.rank()) : i};
    if (range.axis >= input.rank())
      return importer.refuse(node, "slices a dimension that its input does not have");
    if (*steps && i < (*steps)->size()) range.step = (**steps)[i];
    if (range.step == 0) return importer.refuse(node, "has a step of 0");
    const Expr& size = input.shape[range.axis];
    if (range.step > 0) {
      range.start = clamped(importer, (*starts)[i], size, 0, size);
      const Expr end = clamped(importer, (*ends)[i], size, 0, size);
      range.length = ceil_divide(end - range.start, Expr{range.step});
    } else {
      range.start = clamped(importer, (*starts)[i], size, 0, size - Expr{1});
      const Expr end = clamped(importer, (*ends)[i], size, -1, size - Expr{1});
      range.length = ceil_divide(range.start - end, Expr{-range.step});
    }
    if (const auto below = sign(range.length); below && *below < 0) range.length = Expr{0};
    ranges.push_back(std::move(range));
  }
  return ranges;
}

std::optional<OnnxValue> sliced_content(const OnnxValue& input, const std::vector<Range>& ranges) {
  if (!input.known() || !small_count(input.shape)) return std::nullopt;
  const std::vector<std::int64_t> sizes = *constant_shape(input.shape);
  std::vector<std::int64_t> start(sizes.size(), 0);
  std::vector<std::int64_t> step(sizes.size(), 1);
  std::vector<std::int64_t> length = sizes;
  Shape shape = input.shape;
  for (const Range& range : ranges) {
    if (!range.start.is_constant() || !range.length.is_constant()) return std::nullopt;
    start[range.axis] = range.start.constant();
    step[range.axis] = range.step;
    length[range.axis] = range.length.constant();
    shape[range.axis] = range.length;
  }
  std::int64_t count = 1;
  for (const std::int64_t size : length) count *= size;
  Content content;
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t rest = flat;
    std::int64_t index = 0;
    std::int64_t stride = 1;
    for (std::size_t i = sizes.size(); i > 0; --i) {
      const std::size_t axis = i - 1;
      index += (start[axis] + (rest % length[axis]) * step[axis]) * stride;
      rest /= length[axis];
      stride *= sizes[axis];
    }
    if (index < 0 || index >= static_cast<std::int64_t>(input.content->size())) return std::nullopt;
    content.push_back((*input.content)[static_cast<std::size_t>(index)]);
  }
  return constant(std::move(content), shape, input.element);
}

// Where it cuts is only known when it runs. What the file declares is taken, else as much as there can be.
Result<Values> cut_by_data(Importer& importer, const OnnxNode& node, const OnnxValue& input) {
  importer.note(node, "where it cuts depends on data: an upper bound is counted");
  const auto type = importer.declared(node.output_name(0));
  const bool fits = type && type->rank() == input.rank();
  return one(rearranged(importer, node, input, fits ? type->shape : input.shape));
}

Result<Values> import_slice(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto ranges = ranges_of(importer, node, input);
  if (!ranges) return tl::unexpected(ranges.error());
  if (ranges->empty() && node.inputs() > 1) return cut_by_data(importer, node, input);
  if (auto known = sliced_content(input, *ranges)) return Values{*std::move(known)};
  OnnxValue result = input;
  for (const Range& range : *ranges) {
    const Expr& size = result.shape[range.axis];
    if (range.step == 1 && range.start.is(0) && range.length == size) continue;
    Shape shape = result.shape;
    shape[range.axis] = range.length;
    if (range.length.is(0)) {
      result = constant({}, shape, input.element);
      continue;
    }
    Result<OnnxValue> next = result;
    if (range.step == 1) {
      Attributes attributes;
      attributes.set("axis", Expr{static_cast<std::int64_t>(range.axis)});
      attributes.set("start", range.start);
      attributes.set("length", range.length);
      next = importer.emit_one(node, {.op = "slice", .attributes = attributes}, {result});
    } else if (range.step > 0) {  // every second, say: a view with a larger stride
      Attributes attributes;
      attributes.set("shape", shape);
      next = importer.emit_one(node, {.op = "strided_view", .attributes = attributes}, {result});
    } else {
      next = rearranged(importer, node, result, shape);
    }
    if (!next) return tl::unexpected(next.error());
    result = *std::move(next);
    result.strided = true;
  }
  return Values{result};
}

}  // namespace

HandlerRows slice_handlers() {
  static const HandlerRow rows[] = {{"Slice", import_slice}};
  return rows;
}

}  // namespace roofcast::onnx
