// Reductions over any dimensions, and running sums.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

struct Reduction {
  std::string_view op{};
  std::string_view ours{};  ///< sum or mean, if it is over one dimension
  std::int64_t operations = 1;
};

constexpr Reduction reductions[] = {
    {"ReduceSum", "sum"},        {"ReduceMean", "mean"},     {"ReduceMax", {}},
    {"ReduceMin", {}},           {"ReduceProd", {}},         {"ReduceL1", {}, 2},
    {"ReduceL2", {}, 2},         {"ReduceSumSquare", {}, 2}, {"ReduceLogSum", {}, 1},
    {"ReduceLogSumExp", {}, 12}, {"QLinearReduceMean", {}}};

// All elements of a small known tensor, as sums of sizes or products of shapes are.
std::optional<Number> folded(const OnnxNode& node, const OnnxValue& input) {
  if (!input.known() || input.content->empty()) return std::nullopt;
  Number result = input.content->front();
  for (std::size_t i = 1; i < input.content->size(); ++i) {
    const Number& next = (*input.content)[i];
    if (node.op() == "ReduceSum") {
      result = result + next;
    } else if (node.op() == "ReduceProd") {
      result = result * next;
    } else if ((node.op() == "ReduceMax" || node.op() == "ReduceMin") && result.whole() && next.whole()) {
      result = Number{node.op() == "ReduceMax" ? maximum(*result.whole(), *next.whole())
                                               : minimum(*result.whole(), *next.whole())};
    } else {
      return std::nullopt;
    }
  }
  return result;
}

Result<Values> import_reduce(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (!node.has_attribute("axes") && node.has(1) && !node.input(1).known()) {
    const auto shape = shape_by_data(importer, node, "over which dimensions it goes", node.input(1));
    if (!shape) return tl::unexpected(shape.error());
    return one(importer.emit_one(
        node, {.op = "reduce", .attributes = result_attributes(*shape, input.element)}, {input}));
  }
  const auto axes = axes_of(importer, node, "axes", 1, input.rank());
  if (!axes) return tl::unexpected(axes.error());
  std::vector<bool> goes(input.rank(), !*axes || (*axes)->empty());
  if (*axes) {
    if ((*axes)->empty() && node.integer("noop_with_empty_axes") != 0) return Values{input};
    for (const std::size_t axis : **axes) goes[axis] = true;
  }
  const bool keeps = node.integer("keepdims", 1) != 0;
  Shape shape;
  for (std::size_t i = 0; i < input.rank(); ++i) {
    if (!goes[i]) {
      shape.push_back(input.shape[i]);
    } else if (keeps) {
      shape.emplace_back(1);
    }
  }
  const bool everything = std::ranges::all_of(goes, [](bool axis) { return axis; });
  if (everything) {
    if (const auto number = folded(node, input)) return Values{constant({*number}, shape, input.element)};
  }
  const Reduction* row = &reductions[0];
  for (const Reduction& candidate : reductions) {
    if (candidate.op == node.op()) row = &candidate;
  }
  const auto reduced_axes = std::ranges::count(goes, true);
  if (!row->ours.empty() && reduced_axes == 1 && is_floating(input.element)) {
    Attributes attributes;
    attributes.set("axis", Expr{std::ranges::find(goes, true) - goes.begin()});
    attributes.set("keep", keeps);
    return one(importer.emit_one(node, {.op = row->ours, .attributes = attributes}, {input}));
  }
  Attributes attributes = result_attributes(shape, input.element);
  attributes.set("function", std::string(row->op));
  attributes.set("operations", Expr{row->operations});
  return one(importer.emit_one(node, {.op = "reduce", .attributes = attributes}, {input}));
}

Result<Values> import_arg(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto axis = axis_of(importer, node, node.integer("axis", 0), input.rank());
  if (!axis) return tl::unexpected(axis.error());
  Shape shape = input.shape;
  if (node.integer("keepdims", 1) != 0) {
    shape[*axis] = Expr{1};
  } else {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  return one(importer.emit_one(node,
                               {.op = "reduce",
                                .attributes = result_attributes(shape, ElementType::int64),
                                .element = ElementType::int64},
                               {input}));
}

Result<Values> import_cumulative(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  return one(importer.emit_one(
      node, {.op = "cumulative", .attributes = result_attributes(input.shape, input.element)}, {input}));
}

// The determinant of square matrices.
Result<Values> import_determinant(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() < 2) return importer.refuse(node, "wants square matrices");
  Attributes attributes = result_attributes(Shape(input.shape.begin(), input.shape.end() - 2), input.element);
  attributes.set("operations", input.shape.back());
  return one(importer.emit_one(node, {.op = "reduce", .attributes = attributes}, {input}));
}

}  // namespace

HandlerRows reduction_handlers() {
  static const std::vector<HandlerRow> rows = [] {
    std::vector<HandlerRow> all;
    for (const Reduction& row : reductions) all.push_back({row.op, import_reduce});
    all.push_back({"ArgMax", import_arg});
    all.push_back({"ArgMin", import_arg});
    all.push_back({"CumSum", import_cumulative});
    all.push_back({"CumProd", import_cumulative});
    all.push_back({"Det", import_determinant});
    return all;
  }();
  return rows;
}

}  // namespace roofcast::onnx
