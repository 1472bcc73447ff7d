// Operators that only change or ask for shapes.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

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
    } else if (const auto type = importer.declared(node.message().output(0))) {
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

// ---- slices ----

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
  const auto type = importer.declared(node.message().output(0));
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

// ---- stretching and copying ----

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

HandlerRows shape_handlers() {
  static const HandlerRow rows[] = {{"Reshape", import_reshape},     {"Flatten", import_flatten},
                                    {"Squeeze", import_squeeze},     {"Unsqueeze", import_unsqueeze},
                                    {"Transpose", import_transpose}, {"Shape", import_shape},
                                    {"Size", import_size},           {"Identity", import_identity},
                                    {"Concat", import_concat},       {"Split", import_split},
                                    {"Slice", import_slice},         {"Expand", import_expand},
                                    {"Tile", import_tile},           {"Pad", import_pad},
                                    {"DepthToSpace", import_space},  {"SpaceToDepth", import_space},
                                    {"Trilu", import_copy},          {"ReverseSequence", import_copy}};
  return rows;
}

}  // namespace roofcast::onnx
