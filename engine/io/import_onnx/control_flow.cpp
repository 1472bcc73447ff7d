// If, Loop and Scan. A known condition takes its branch; a loop with a known number of trips is written out,
// one with a symbolic number becomes a block that repeats.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {
namespace {

constexpr std::int64_t most_trips = 100'000;
constexpr std::int64_t most_written_nodes = 20'000;  // of a loop that is written out

std::int64_t nodes_in(const Graph& graph) {
  std::int64_t count = graph.node_size();
  for (const Node& node : graph.node()) {
    for (const Attribute& attribute : node.attribute()) {
      if (attribute.has_g()) count += nodes_in(attribute.g());
    }
  }
  return count;
}

Result<Values> import_if(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const Graph* then_branch = node.graph("then_branch");
  const Graph* else_branch = node.graph("else_branch");
  if (then_branch == nullptr || else_branch == nullptr) return importer.refuse(node, "lacks a branch");
  const auto condition = integers(node.input(0));
  if (condition && condition->size() == 1) {
    return importer.run_subgraph((*condition)[0] != 0 ? *then_branch : *else_branch, {}, node);
  }
  // Nobody knows which: the longer branch is the safe side, the other one if it cannot be read.
  const bool longer_then = nodes_in(*then_branch) >= nodes_in(*else_branch);
  importer.note(node, "which branch it takes depends on data: the one with more operators is counted");
  auto result = importer.run_subgraph(longer_then ? *then_branch : *else_branch, {}, node);
  if (result) return result;
  return importer.run_subgraph(longer_then ? *else_branch : *then_branch, {}, node);
}

// Results of all repetitions, one behind the other.
Result<OnnxValue> stacked(Importer& importer, const OnnxNode& node, const Values& parts) {
  Values rows;
  for (const OnnxValue& part : parts) {
    Shape shape = part.shape;
    shape.insert(shape.begin(), Expr{1});
    auto row = importer.with_shape(node, part, shape);
    if (!row) return row;
    rows.push_back(*std::move(row));
  }
  if (rows.size() == 1) return rows.front();
  const bool known = std::ranges::all_of(rows, &OnnxValue::known);
  if (known) {
    Content content;
    for (const OnnxValue& row : rows) content.insert(content.end(), row.content->begin(), row.content->end());
    Shape shape = rows.front().shape;
    shape[0] = Expr{static_cast<std::int64_t>(rows.size())};
    return constant(std::move(content), shape, rows.front().element);
  }
  Attributes attributes;
  attributes.set("axis", Expr{0});
  return importer.emit_one(node, {.op = "concat", .attributes = attributes}, rows);
}

/// A body that is run once for all repetitions: what it hands on keeps its shape.
class RepeatedBody {
 public:
  RepeatedBody(Importer& importer, const OnnxNode& node, const Graph& body, Expr trips)
      : importer_(importer), node_(node), body_(body), trips_(std::move(trips)) {}

  /// `carried` is handed from one repetition to the next, `fixed` are further inputs in front of and behind
  /// them.
  Result<Values> run(const Values& before, const Values& carried, const Values& after, std::size_t skipped) {
    const RegionId outside = importer_.region();
    roofcast::Graph& graph = importer_.graph();
    Values initial = carried;
    std::vector<ValueId> ids;
    for (const OnnxValue& value : carried) {
      auto id = importer_.materialize(value, node_.name());
      if (!id) return tl::unexpected(id.error());
      ids.push_back(*id);
    }
    const auto region = static_cast<RegionId>(graph.regions.size());
    graph.regions.push_back(
        {.name = node_.name(), .repeat = trips_, .parent = outside, .where = importer_.where()});
    importer_.set_region(region);
    Values inputs = before;
    std::vector<Carry> carries;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      OnnxValue inside = carried[i];
      inside.content.reset();
      inside.weight = no_weight;
      inside.value = importer_.new_value(node_.name(), importer_.type(ids[i]));
      carries.push_back({.initial = ids[i], .inside = inside.value});
      inputs.push_back(std::move(inside));
    }
    inputs.insert(inputs.end(), after.begin(), after.end());
    auto results = importer_.run_subgraph(body_, inputs, node_);
    if (!results) return results;
    Values outputs;
    for (std::size_t i = 0; i < carried.size() && i + skipped < results->size(); ++i) {
      OnnxValue& next = (*results)[i + skipped];
      auto id = importer_.materialize(next, node_.name());
      if (!id) return tl::unexpected(id.error());
      // Each repetition writes its own copy where the body hands on what it got from outside.
      if (next.shape != carried[i].shape) {
        return importer_.refuse(
            node_,
            fmt::format("hands on {} where it began with {}", to_string(next.shape),
                        to_string(carried[i].shape)),
            "sizes that grow from one repetition to the next need a known number of them");
      }
      carries[i].next = *id;
      OnnxValue result = next;
      result.content.reset();
      result.weight = no_weight;
      importer_.set_region(outside);
      result.value = importer_.new_value(node_.name(), importer_.type(*id));
      importer_.set_region(region);
      carries[i].result = result.value;
      outputs.push_back(std::move(result));
    }
    importer_.set_region(outside);
    graph.regions[static_cast<std::size_t>(region)].carries = carries;
    // What every repetition leaves is stacked along a new first dimension.
    for (std::size_t i = carried.size() + skipped; i < results->size(); ++i) {
      const OnnxValue& part = (*results)[i];
      Shape shape = part.shape;
      shape.insert(shape.begin(), trips_);
      auto all = importer_.emit_one(
          node_,
          {.op = "fill", .attributes = result_attributes(shape, part.element), .element = part.element}, {});
      if (!all) return tl::unexpected(all.error());
      outputs.push_back(*std::move(all));
    }
    return outputs;
  }

 private:
  Importer& importer_;
  const OnnxNode& node_;
  const Graph& body_;
  Expr trips_;
};

// Inputs: most trips, first condition, carried values. The body takes (trip, condition, carried) and gives
// (condition, carried, parts to stack).
Result<Values> import_loop(Importer& importer, const OnnxNode& node) {
  const Graph* body = node.graph("body");
  if (body == nullptr) return importer.refuse(node, "has no body");
  std::optional<Expr> trips;
  if (node.has(0)) {
    const auto given = whole_numbers(node.input(0));
    constexpr std::int64_t unlimited = 1LL << 31;
    if (given && given->size() == 1 &&
        !(given->front().is_constant() && given->front().constant() >= unlimited)) {
      trips = given->front();
    }
  }
  // A result that holds a row for each repetition tells their number, if the file declares it.
  if (!trips) {
    for (std::size_t i = node.inputs() - std::min<std::size_t>(node.inputs(), 2); i < node.outputs(); ++i) {
      const auto rows = importer.declared_sizes(node, i);
      if (!rows || rows->empty()) continue;
      trips = rows->front();
      importer.note(node, "how often it repeats depends on data: as often as the file declares is counted");
      break;
    }
  }
  const OnnxValue truth = constant({Number{1}}, {}, ElementType::boolean);
  OnnxValue condition = node.has(1) ? node.input(1) : truth;
  Values carried;
  for (std::size_t i = 2; i < node.inputs(); ++i) carried.push_back(node.input(i));
  const auto stays_out = integers(condition);
  if ((trips && trips->is(0)) || (stays_out && stays_out->size() == 1 && (*stays_out)[0] == 0)) {
    Values outputs = carried;
    while (outputs.size() < node.outputs()) outputs.push_back(constant({}, {Expr{0}}, ElementType::float32));
    return outputs;
  }
  const bool writes_out =
      trips && trips->is_constant() && trips->constant() <= most_trips &&
      trips->constant() * std::max<std::int64_t>(nodes_in(*body), 1) <= most_written_nodes;
  const std::int64_t limit = writes_out ? trips->constant() : (trips ? 0 : most_trips);
  if (writes_out || !trips) {
    // Without a number of trips, the condition must say when to stop.
    std::vector<Values> parts;
    std::int64_t done = 0;
    bool open = false;
    while (done < limit) {
      Values inputs{constant({Number{done}}, {}, ElementType::int64), condition};
      inputs.insert(inputs.end(), carried.begin(), carried.end());
      auto results = importer.run_subgraph(*body, inputs, node);
      if (!results) return results;
      if (results->size() < 1 + carried.size())
        return importer.refuse(node, "its body gives too few results");
      ++done;
      condition = (*results)[0];
      for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = (*results)[1 + i];
      parts.resize(results->size() - 1 - carried.size());
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i].push_back((*results)[1 + carried.size() + i]);
      const auto goes_on = integers(condition);
      if (goes_on && goes_on->size() == 1 && (*goes_on)[0] == 0) break;
      if (!goes_on && !trips) {
        open = true;
        break;
      }
      if (!goes_on && trips && done == 1)
        importer.note(fmt::format("'{}' may stop early, depending on data: all {} repetitions are counted",
                                  node.name(), to_string(*trips)));
      if (!trips && done * std::max<std::int64_t>(nodes_in(*body), 1) > most_written_nodes) {
        return importer.refuse(node, "does not seem to end");
      }
    }
    if (open) {
      importer.note(node, "how often it repeats depends on data: once is counted");
    }
    Values outputs = carried;
    for (const Values& list : parts) {
      auto all = stacked(importer, node, list);
      if (!all) return tl::unexpected(all.error());
      outputs.push_back(*std::move(all));
    }
    return outputs;
  }
  // One body stands for all repetitions, whose number is only known as a value: the sizes of the first one.
  const OnnxValue first = constant({Number{0}}, {}, ElementType::int64);
  return RepeatedBody(importer, node, *body, *trips).run({first, truth}, carried, {}, 1);
}

// Goes over the first dimension (or another one) of its last inputs.
Result<Values> import_scan(Importer& importer, const OnnxNode& node) {
  const Graph* body = node.graph("body");
  if (body == nullptr) return importer.refuse(node, "has no body");
  const auto scanned =
      static_cast<std::size_t>(std::max<std::int64_t>(node.integer("num_scan_inputs", 1), 0));
  // Operator set 8 has the lengths of the sequences in front and a batch dimension everywhere.
  const bool old = node.version() == 8;
  const std::size_t first = old ? 1 : 0;
  if (node.inputs() < first + scanned || scanned == 0) return importer.refuse(node, "has too few inputs");
  const auto axes = node.integers("scan_input_axes");
  Values carried;
  for (std::size_t i = first; i < node.inputs() - scanned; ++i) carried.push_back(node.input(i));
  Expr trips{1};
  Values elements;
  const auto part_of = [&](const OnnxValue& input, std::size_t axis, const Expr& at) -> Result<OnnxValue> {
    Attributes attributes;
    attributes.set("axis", Expr{static_cast<std::int64_t>(axis)});
    attributes.set("start", at);
    attributes.set("length", Expr{1});
    auto part = importer.emit_one(node, {.op = "slice", .attributes = attributes}, {input});
    if (!part) return part;
    Shape shape = input.shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return importer.with_shape(node, *part, shape);
  };
  std::vector<std::size_t> along;
  for (std::size_t i = 0; i < scanned; ++i) {
    const OnnxValue& input = node.input(node.inputs() - scanned + i);
    const std::int64_t given = axes && i < axes->size() ? (*axes)[i] : (old ? 1 : 0);
    const auto axis = axis_of(importer, node, given, input.rank());
    if (!axis) return tl::unexpected(axis.error());
    if (input.rank() == 0) return importer.refuse(node, "goes over a scalar");
    along.push_back(*axis);
    const Expr& length = input.shape[*axis];
    if (i > 0 && trips.is_constant() && length.is_constant() && !(trips == length)) {
      return importer.refuse(
          node, fmt::format("goes over {} and over {} elements", to_string(trips), to_string(length)));
    }
    trips = length;
  }
  if (trips.is_constant() &&
      trips.constant() * std::max<std::int64_t>(nodes_in(*body), 1) <= most_written_nodes) {
    std::vector<Values> parts;
    for (std::int64_t trip = 0; trip < trips.constant(); ++trip) {
      Values inputs = carried;
      for (std::size_t i = 0; i < scanned; ++i) {
        auto part = part_of(node.input(node.inputs() - scanned + i), along[i], Expr{trip});
        if (!part) return tl::unexpected(part.error());
        inputs.push_back(*std::move(part));
      }
      auto results = importer.run_subgraph(*body, inputs, node);
      if (!results) return results;
      if (results->size() < carried.size()) return importer.refuse(node, "its body gives too few results");
      for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = (*results)[i];
      parts.resize(results->size() - carried.size());
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i].push_back((*results)[carried.size() + i]);
    }
    Values outputs = carried;
    const auto out_axes = node.integers("scan_output_axes");
    for (const Values& list : parts) {
      auto all = stacked(importer, node, list);
      if (!all) return tl::unexpected(all.error());
      const std::size_t index = outputs.size() - carried.size();
      if (out_axes && index < out_axes->size() && all->rank() > 0) {
        const auto axis = axis_of(importer, node, (*out_axes)[index], all->rank());
        if (!axis) return tl::unexpected(axis.error());
        std::vector<std::int64_t> order;  // of the dimensions, the first one put where it is wanted
        for (std::size_t k = 1; k < all->rank(); ++k) order.push_back(static_cast<std::int64_t>(k));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(*axis), 0);
        if (*axis != 0) all = importer.permuted(node, *all, order);
        if (!all) return tl::unexpected(all.error());
      }
      outputs.push_back(*std::move(all));
    }
    return outputs;
  }
  for (std::size_t i = 0; i < scanned; ++i) {
    auto part = part_of(node.input(node.inputs() - scanned + i), along[i], Expr{0});
    if (!part) return tl::unexpected(part.error());
    elements.push_back(*std::move(part));
  }
  return RepeatedBody(importer, node, *body, trips).run({}, carried, elements, 0);
}

}  // namespace

HandlerRows control_handlers() {
  static const HandlerRow rows[] = {{"If", import_if}, {"Loop", import_loop}, {"Scan", import_scan}};
  return rows;
}

}  // namespace roofcast::onnx
