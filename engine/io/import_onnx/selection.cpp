// Choices between values, bounds on them, and casts.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

Result<Values> import_where(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const OnnxValue& condition = node.input(0);
  auto shape = broadcast_shape(importer, node, node.input(1).shape, node.input(2).shape);
  if (!shape) return tl::unexpected(shape.error());
  shape = broadcast_shape(importer, node, *shape, condition.shape);
  if (!shape) return tl::unexpected(shape.error());
  const auto to = constant_shape(*shape);
  if (condition.known() && node.input(1).known() && node.input(2).known() && to && small_count(*shape)) {
    std::array<std::vector<std::size_t>, 3> from;
    for (std::size_t i = 0; i < 3; ++i)
      from[i] = broadcast_indices(*constant_shape(node.input(i).shape), *to);
    Content content;
    for (std::size_t i = 0; i < from[0].size(); ++i) {
      const bool chosen = (*condition.content)[from[0][i]].integer().value_or(0) != 0;
      const std::size_t side = chosen ? 1 : 2;
      content.push_back((*node.input(side).content)[from[side][i]]);
    }
    return Values{constant(std::move(content), *shape, node.input(1).element)};
  }
  return one(pointwise(importer, node, node.all_inputs(), "Where", node.input(1).element));
}

Result<Values> import_clip(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto bound = [&](std::string_view attribute, std::size_t index) -> std::optional<double> {
    if (node.has_attribute(attribute)) return node.real(attribute);
    if (!node.has(index) || !node.input(index).known() || node.input(index).content->empty())
      return std::nullopt;
    return node.input(index).content->front().constant();
  };
  const auto low = bound("min", 1);
  const auto high = bound("max", 2);
  if (input.known()) {
    OnnxValue result = input;
    for (const auto& [index, smallest] :
         {std::pair{std::size_t{1}, false}, std::pair{std::size_t{2}, true}}) {
      if (!node.has(index) || !node.input(index).known() || node.input(index).content->empty()) continue;
      for (Number& number : *result.content) {
        const auto limited = smaller(number, node.input(index).content->front(), smallest);
        if (!limited) return one(pointwise(importer, node, {input}, "Clip", input.element, 2));
        number = *limited;
      }
    }
    result.weight = no_weight;
    return Values{result};
  }
  if (is_floating(input.element) && low == 0.0 && high == 6.0)
    return one(importer.emit_one(node, {.op = "relu6"}, {input}));
  return one(pointwise(importer, node, {input}, "Clip", input.element, 2));
}

Result<Values> import_cast(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const ElementType to = node.op() == "CastLike" && node.has(1)
                             ? node.input(1).element
                             : static_cast<ElementType>(node.integer("to", 1));
  OnnxValue result = input;
  result.element = to;
  if (input.known()) {
    for (Number& number : *result.content) {
      if (to == ElementType::boolean) {
        const auto value = number.constant();
        number = flag(!value || *value != 0);
      } else if (is_integer(to)) {
        number = truncate(number);
      }
    }
    if (is_integer(to) != is_integer(input.element)) result.weight = input.weight;
    return Values{result};
  }
  // Between real types it is the precision that decides; a weight is stored once, in its type.
  const bool free = (is_floating(to) && is_floating(input.element)) || to == input.element ||
                    (input.value == no_value && input.weight != no_weight);
  if (free) return Values{result};
  return one(pointwise(importer, node, {input}, "Cast", to));
}

}  // namespace

HandlerRows selection_handlers() {
  static const HandlerRow rows[] = {
      {"Where", import_where}, {"Clip", import_clip}, {"Cast", import_cast}, {"CastLike", import_cast}};
  return rows;
}

}  // namespace roofcast::onnx
