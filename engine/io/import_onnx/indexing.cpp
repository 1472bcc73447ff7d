// Elements picked, put or sorted. Where how many there are depends on data, an upper bound is taken, with a
// note.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

// Elements of a known tensor at known indices along an axis.
std::optional<OnnxValue> gathered(const OnnxValue& data, const OnnxValue& indices, std::size_t axis,
                                  const Shape& shape) {
  if (!data.known() || !indices.known() || !small_count(shape)) return std::nullopt;
  const auto from = constant_shape(data.shape);
  const auto places = integers(indices);
  if (!from || !places) return std::nullopt;
  std::size_t outer = 1;
  std::size_t inner = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>((*from)[i]);
  for (std::size_t i = axis + 1; i < from->size(); ++i) inner *= static_cast<std::size_t>((*from)[i]);
  const std::int64_t length = (*from)[axis];
  Content content;
  for (std::size_t row = 0; row < outer; ++row) {
    for (std::int64_t place : *places) {
      if (place < 0) place += length;
      if (place < 0 || place >= length) return std::nullopt;
      for (std::size_t i = 0; i < inner; ++i) {
        content.push_back(
            (*data.content)[(row * static_cast<std::size_t>(length) + static_cast<std::size_t>(place)) *
                                inner +
                            i]);
      }
    }
  }
  return constant(std::move(content), shape, data.element);
}

Result<Values> import_gather(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& data = node.input(0);
  const OnnxValue& indices = node.input(1);
  if (data.rank() == 0) return importer.refuse(node, "picks from a scalar");
  const auto axis = axis_of(importer, node, node.integer("axis", 0), data.rank());
  if (!axis) return tl::unexpected(axis.error());
  Shape shape(data.shape.begin(), data.shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), data.shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data.shape.end());
  if (auto known = gathered(data, indices, *axis, shape)) return Values{*std::move(known)};
  // A stored table of real values, looked up by computed indices.
  if (importer.is_weight(data) && data.rank() == 2 && *axis == 0 && is_floating(data.element) &&
      indices.value != no_value) {
    Attributes attributes;
    attributes.set("num_embeddings", data.shape[0]);
    attributes.set("embedding_dim", data.shape[1]);
    return one(importer.emit_one(
        node, {.op = "embedding", .attributes = attributes, .element = data.element, .weights = {data}},
        {indices}));
  }
  // One known index is a slice of length 1, several in a row are a longer one: views.
  if (indices.known() && small_count(indices.shape) && !indices.content->empty()) {
    const std::vector<Number>& places = *indices.content;
    const auto first = places.front().whole();
    bool in_order = first.has_value();
    for (std::size_t i = 1; i < places.size() && in_order; ++i) {
      const auto next = places[i].whole();
      in_order = next && *next == *first + Expr{static_cast<std::int64_t>(i)};
    }
    if (in_order) {
      Attributes attributes;
      const auto below = sign(*first);
      const Expr start = below && *below < 0 ? data.shape[*axis] + *first : *first;
      attributes.set("axis", Expr{static_cast<std::int64_t>(*axis)});
      attributes.set("start", start);
      attributes.set("length", Expr{static_cast<std::int64_t>(places.size())});
      auto part = importer.emit_one(node, {.op = "slice", .attributes = attributes}, {data});
      if (!part) return tl::unexpected(part.error());
      part->strided = true;
      auto result = importer.with_shape(node, *part, shape);
      if (result) result->strided = true;
      return one(std::move(result));
    }
  }
  Attributes attributes = result_attributes(shape, data.element);
  attributes.set("row", elements(data.shape, *axis + 1, data.rank()));
  return one(importer.emit_one(node, {.op = "gather", .attributes = attributes}, {data, indices}));
}

Result<Values> import_gather_elements(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  return one(importer.emit_one(
      node, {.op = "gather", .attributes = result_attributes(node.input(1).shape, node.input(0).element)},
      {node.input(0), node.input(1)}));
}

Result<Values> import_gather_nd(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& data = node.input(0);
  const OnnxValue& indices = node.input(1);
  const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(node.integer("batch_dims", 0), 0));
  if (indices.rank() == 0 || !indices.shape.back().is_constant())
    return importer.refuse(node, "how many indices each place has depends on data");
  const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(indices.shape.back().constant(), 0));
  if (batch + depth > data.rank())
    return importer.refuse(node, "has more indices than its input has dimensions");
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.insert(shape.end(), data.shape.begin() + static_cast<std::ptrdiff_t>(batch + depth),
               data.shape.end());
  Attributes attributes = result_attributes(shape, data.element);
  attributes.set("row", elements(data.shape, batch + depth, data.rank()));
  return one(importer.emit_one(node, {.op = "gather", .attributes = attributes}, {data, indices}));
}

Result<Values> import_scatter(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  return one(importer.emit_one(node, {.op = "scatter"}, {node.input(0), node.input(1), node.input(2)}));
}

// ONNX's TensorScatter: a key/value cache gets new rows.
Result<Values> import_tensor_scatter(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  return one(importer.emit_one(node, {.op = "scatter"}, {node.input(0), node.input(1)}));
}

// ---- order ----

Result<Values> import_top_k(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() == 0) return importer.refuse(node, "sorts a scalar");
  const auto axis = axis_of(importer, node, node.integer("axis", -1), input.rank());
  if (!axis) return tl::unexpected(axis.error());
  std::optional<Expr> count;
  if (node.has_attribute("k")) count = Expr{node.integer("k")};
  if (node.has(1)) {
    const auto given = whole_numbers(node.input(1));
    if (given && given->size() == 1) count = given->front();
  }
  if (!count) {
    count = input.shape[*axis];
    importer.note(node, "how many values it takes depends on data: all are counted");
  }
  Shape shape = input.shape;
  shape[*axis] = *count;
  auto outputs = importer.emit(
      node, {.op = "sort", .attributes = result_attributes(shape, input.element), .outputs = 2}, {input});
  if (outputs) (*outputs)[1].element = ElementType::int64;
  return outputs;
}

// Each distinct value once, and where: at most all of them.
Result<Values> import_unique(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const Expr all = elements(input.shape);
  const bool flat = !node.has_attribute("axis");
  Shape values = flat ? Shape{all} : input.shape;
  Expr count = all;
  if (!flat) {
    const auto axis = axis_of(importer, node, node.integer("axis"), input.rank());
    if (!axis) return tl::unexpected(axis.error());
    count = input.shape[*axis];
  }
  const Expr everything = count;
  values = declared_within(importer, node, 0, values);
  if (flat) count = values.front();
  importer.note(node, "how many distinct values it finds depends on data: all are counted");
  auto sorted = importer.emit(
      node, {.op = "sort", .attributes = result_attributes(values, input.element), .outputs = 2}, {input});
  if (!sorted) return tl::unexpected(sorted.error());
  Values outputs{(*sorted)[0]};
  for (std::size_t i = 1; i < node.outputs(); ++i) {
    auto places =
        importer.emit_one(node,
                          {.op = "opaque",
                           .attributes = result_attributes({i == 2 ? everything : count}, ElementType::int64),
                           .element = ElementType::int64},
                          {(*sorted)[1]});
    if (!places) return tl::unexpected(places.error());
    outputs.push_back(*places);
  }
  return outputs;
}

// ---- how many depends on data ----

Result<Values> import_non_zero(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(input.rank(), 1));
  if (const auto known = reals(input); known && constant_shape(input.shape)) {
    std::vector<std::vector<std::int64_t>> places;
    const std::vector<std::int64_t> sizes = *constant_shape(input.shape);
    for (std::size_t flat = 0; flat < known->size(); ++flat) {
      if ((*known)[flat] == 0) continue;
      std::vector<std::int64_t> place(sizes.size(), 0);
      std::size_t rest = flat;
      for (std::size_t i = sizes.size(); i > 0; --i) {
        place[i - 1] = static_cast<std::int64_t>(rest % static_cast<std::size_t>(sizes[i - 1]));
        rest /= static_cast<std::size_t>(sizes[i - 1]);
      }
      if (place.empty()) place = {0};
      places.push_back(place);
    }
    Content content;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      for (const auto& place : places) content.emplace_back(place[static_cast<std::size_t>(axis)]);
    }
    return Values{constant(std::move(content), {Expr{rank}, Expr{static_cast<std::int64_t>(places.size())}},
                           ElementType::int64)};
  }
  importer.note(node, "how many values it finds depends on data: all are counted");
  const Shape shape = declared_within(importer, node, 0, {Expr{rank}, elements(input.shape)});
  return one(importer.emit_one(node,
                               {.op = "gather",
                                .attributes = result_attributes(shape, ElementType::int64),
                                .element = ElementType::int64},
                               {input}));
}

Result<Values> import_compress(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  Shape shape{elements(input.shape)};
  std::size_t along = 0;
  if (node.has_attribute("axis")) {
    const auto axis = axis_of(importer, node, node.integer("axis"), input.rank());
    if (!axis) return tl::unexpected(axis.error());
    shape = input.shape;
    along = *axis;
  }
  if (const auto chosen = integers(node.input(1))) {
    shape[along] = Expr{
        static_cast<std::int64_t>(std::ranges::count_if(*chosen, [](std::int64_t c) { return c != 0; }))};
  } else {
    shape[along] = minimum(shape[along], elements(node.input(1).shape));
    shape = declared_within(importer, node, 0, shape);
    importer.note(node, "how many values it keeps depends on data: all are counted");
  }
  return one(importer.emit_one(node, {.op = "gather", .attributes = result_attributes(shape, input.element)},
                               {input, node.input(1)}));
}

// Boxes [batch, boxes, 4] and scores [batch, classes, boxes]: at most so many per class, and all boxes.
Result<Values> import_non_max_suppression(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& boxes = node.input(0);
  const OnnxValue& scores = node.input(1);
  if (boxes.rank() != 3 || scores.rank() != 3)
    return importer.refuse(node, "wants boxes and scores of three dimensions");
  Expr most = scores.shape[2];
  if (node.has(2)) {
    const auto given = whole_numbers(node.input(2));
    if (given && given->size() == 1) {
      const auto beyond = sign(given->front() - most);
      if (!beyond) {
        most = minimum(most, given->front());
      } else if (*beyond < 0) {
        most = given->front();
      }
    }
  }
  importer.note(node, "how many boxes it keeps depends on data: an upper bound is counted");
  const Shape shape = declared_within(importer, node, 0, {scores.shape[0] * scores.shape[1] * most, Expr{3}});
  return one(importer.emit_one(node,
                               {.op = "select_boxes",
                                .attributes = result_attributes(shape, ElementType::int64),
                                .element = ElementType::int64},
                               {boxes, scores}));
}

Result<Values> import_one_hot(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const OnnxValue& indices = node.input(0);
  const auto depth = whole_numbers(node.input(1));
  Expr classes{0};
  if (depth && depth->size() == 1) {
    classes = depth->front();
  } else {
    classes = importer.new_symbol(node.name() + "_depth", 10);
    importer.note(fmt::format("the depth of '{}' is an input: set it with --set {}=N", node.name(),
                              to_string(classes)));
  }
  const auto axis = axis_of(importer, node, node.integer("axis", -1), indices.rank() + 1);
  if (!axis) return tl::unexpected(axis.error());
  Shape shape = indices.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), classes);
  const ElementType element = node.input(2).element;
  return one(importer.emit_one(
      node, {.op = "gather", .attributes = result_attributes(shape, element), .element = element},
      {indices}));
}

}  // namespace

HandlerRows indexing_handlers() {
  static const HandlerRow rows[] = {{"Gather", import_gather},
                                    {"GatherElements", import_gather_elements},
                                    {"GatherND", import_gather_nd},
                                    {"Scatter", import_scatter},
                                    {"ScatterElements", import_scatter},
                                    {"ScatterND", import_scatter},
                                    {"TensorScatter", import_tensor_scatter},
                                    {"TopK", import_top_k},
                                    {"Unique", import_unique},
                                    {"NonZero", import_non_zero},
                                    {"Compress", import_compress},
                                    {"NonMaxSuppression", import_non_max_suppression},
                                    {"OneHot", import_one_hot}};
  return rows;
}

}  // namespace roofcast::onnx
