// Sequences of tensors and optional values. They exist only while the graph is read: an element is the tensor
// that was put in.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {
namespace {

OnnxValue sequence_of(Values elements) {
  OnnxValue result;
  result.sequence = std::make_shared<Values>(std::move(elements));
  return result;
}

Result<Values> elements_of(const Importer& importer, const OnnxNode& node, std::size_t input) {
  if (!node.has(input) || !node.input(input).sequence)
    return importer.refuse(node, fmt::format("input {} is no sequence", input + 1), "is the file damaged?");
  return *node.input(input).sequence;
}

// A position in a sequence of `length`, from the end if negative. Where it depends on data, the last one.
Result<std::size_t> position_of(Importer& importer, const OnnxNode& node, std::size_t input,
                                std::size_t length, std::size_t otherwise) {
  if (!node.has(input)) return otherwise;
  const auto given = integers(node.input(input));
  if (!given || given->size() != 1) {
    importer.note(
        fmt::format("which element '{}' takes depends on data: the last one is counted", node.name()));
    return otherwise;
  }
  const auto size = static_cast<std::int64_t>(length);
  const std::int64_t at = given->front() < 0 ? given->front() + size : given->front();
  if (at < 0 || at > size)
    return importer.refuse(node, fmt::format("position {} in a sequence of {}", given->front(), length));
  return static_cast<std::size_t>(at);
}

Result<Values> import_construct(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, node.inputs()); !ok) return tl::unexpected(ok.error());
  return Values{sequence_of(node.all_inputs())};
}

Result<Values> import_empty(Importer& /*importer*/, const OnnxNode& /*node*/) {
  return Values{sequence_of({})};
}

Result<Values> import_insert(Importer& importer, const OnnxNode& node) {
  auto elements = elements_of(importer, node, 0);
  if (!elements) return elements;
  if (!node.has(1)) return importer.refuse(node, "inserts nothing");
  const auto at = position_of(importer, node, 2, elements->size(), elements->size());
  if (!at) return tl::unexpected(at.error());
  elements->insert(elements->begin() + static_cast<std::ptrdiff_t>(*at), node.input(1));
  return Values{sequence_of(*std::move(elements))};
}

Result<Values> import_erase(Importer& importer, const OnnxNode& node) {
  auto elements = elements_of(importer, node, 0);
  if (!elements) return elements;
  if (elements->empty()) return importer.refuse(node, "takes an element from an empty sequence");
  const auto at = position_of(importer, node, 1, elements->size(), elements->size() - 1);
  if (!at) return tl::unexpected(at.error());
  if (*at >= elements->size())
    return importer.refuse(node, fmt::format("position {} in a sequence of {}", *at, elements->size()));
  elements->erase(elements->begin() + static_cast<std::ptrdiff_t>(*at));
  return Values{sequence_of(*std::move(elements))};
}

Result<Values> import_at(Importer& importer, const OnnxNode& node) {
  auto elements = elements_of(importer, node, 0);
  if (!elements) return elements;
  if (elements->empty()) return importer.refuse(node, "takes an element from an empty sequence");
  const auto at = position_of(importer, node, 1, elements->size(), elements->size() - 1);
  if (!at) return tl::unexpected(at.error());
  if (*at >= elements->size())
    return importer.refuse(node, fmt::format("position {} in a sequence of {}", *at, elements->size()));
  return Values{(*elements)[*at]};
}

Result<Values> import_length(Importer& importer, const OnnxNode& node) {
  const auto elements = elements_of(importer, node, 0);
  if (!elements) return tl::unexpected(elements.error());
  return Values{constant({Number{static_cast<std::int64_t>(elements->size())}}, {}, ElementType::int64)};
}

// Parts of given sizes; one size for all; or single rows, without the dimension unless it is kept.
Result<Values> import_split(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto axis = axis_of(importer, node, node.integer("axis", 0), input.rank());
  if (!axis || input.rank() == 0)
    return axis ? importer.refuse(node, "splits a scalar") : tl::unexpected(axis.error());
  const Expr& whole = input.shape[*axis];
  constexpr std::int64_t most_parts = 65'536;
  std::vector<Expr> sizes;
  if (!node.has(1) || node.input(1).rank() == 0) {
    Expr size{1};
    if (node.has(1)) {
      const auto given = whole_numbers(node.input(1));
      if (!given || given->size() != 1 || given->front().is(0))
        return importer.refuse(node, "the sizes of its parts are computed from data");
      size = given->front();
    }
    const Expr count = ceil_divide(whole, size);
    const auto parts = count.is_constant() ? count.constant() : importer.sample(count).value_or(0);
    if (parts < 1 || parts > most_parts)
      return importer.refuse(node, fmt::format("splits {} into {} parts", to_string(whole), parts));
    if (!count.is_constant())
      importer.note(
          fmt::format("'{}' was split into {} parts, as many as the sizes given make", node.name(), parts));
    for (std::int64_t i = 0; i + 1 < parts; ++i) sizes.push_back(size);
    sizes.push_back(whole - Expr{parts - 1} * size);
  } else {
    const auto given = whole_numbers(node.input(1));
    if (given) {
      sizes = *given;
    } else if (const auto count = small_count(node.input(1).shape); count && *count > 0) {
      importer.note(
          fmt::format("the sizes of the parts of '{}' depend on data: equal ones are counted", node.name()));
      const Expr chunk = ceil_divide(whole, Expr{*count});
      for (std::int64_t i = 0; i < *count; ++i) sizes.push_back(chunk);
      return [&]() -> Result<Values> {
        Values elements;
        Shape shape = input.shape;
        shape[*axis] = chunk;
        for (std::int64_t i = 0; i < *count; ++i) {
          auto part = rearranged(importer, node, input, shape);
          if (!part) return tl::unexpected(part.error());
          elements.push_back(*part);
        }
        return Values{sequence_of(std::move(elements))};
      }();
    } else {
      return importer.refuse(node, "the sizes of its parts are computed from data");
    }
  }
  Attributes attributes;
  attributes.set("axis", Expr{static_cast<std::int64_t>(*axis)});
  attributes.set("sizes", sizes);
  auto parts =
      importer.emit(node, {.op = "split", .attributes = attributes, .outputs = sizes.size()}, {input});
  if (!parts) return parts;
  const bool keeps = node.has(1) || node.integer("keepdims", 1) != 0;
  for (OnnxValue& part : *parts) {
    part.strided = true;
    if (keeps) continue;
    Shape shape = part.shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
    auto row = importer.with_shape(node, part, shape);
    if (!row) return tl::unexpected(row.error());
    part = *row;
  }
  return Values{sequence_of(*std::move(parts))};
}

Result<Values> import_join(Importer& importer, const OnnxNode& node) {
  auto elements = elements_of(importer, node, 0);
  if (!elements) return elements;
  if (elements->empty()) return importer.refuse(node, "joins an empty sequence");
  const bool new_axis = node.integer("new_axis") != 0;
  const auto axis =
      axis_of(importer, node, node.integer("axis"), elements->front().rank() + (new_axis ? 1 : 0));
  if (!axis) return tl::unexpected(axis.error());
  if (new_axis) {
    for (OnnxValue& element : *elements) {
      Shape shape = element.shape;
      if (*axis > shape.size())
        return importer.refuse(node, "its elements have different numbers of dimensions");
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), Expr{1});
      auto row = importer.with_shape(node, element, shape);
      if (!row) return tl::unexpected(row.error());
      element = *row;
    }
  }
  if (elements->size() == 1) return *elements;
  Attributes attributes;
  attributes.set("axis", Expr{static_cast<std::int64_t>(*axis)});
  return one(importer.emit_one(node, {.op = "concat", .attributes = attributes}, *elements));
}

// Its body runs once for each element; further inputs are sequences of the same length, or go in as they are.
Result<Values> import_map(Importer& importer, const OnnxNode& node) {
  const auto elements = elements_of(importer, node, 0);
  if (!elements) return tl::unexpected(elements.error());
  const Graph* body = node.graph("body");
  if (body == nullptr) return importer.refuse(node, "has no body");
  std::vector<Values> results(static_cast<std::size_t>(body->output_size()));
  for (std::size_t at = 0; at < elements->size(); ++at) {
    Values inputs;
    for (const OnnxValue& input : node.all_inputs()) {
      if (!input.sequence) {
        inputs.push_back(input);
      } else if (at < input.sequence->size()) {
        inputs.push_back((*input.sequence)[at]);
      } else {
        return importer.refuse(node, "its sequences have different lengths");
      }
    }
    auto outputs = importer.run_subgraph(*body, inputs, node);
    if (!outputs) return outputs;
    for (std::size_t i = 0; i < results.size(); ++i) results[i].push_back((*outputs)[i]);
  }
  Values sequences;
  for (Values& result : results) sequences.push_back(sequence_of(std::move(result)));
  return sequences;
}

// ---- optional ----

// What is in it, or nothing.
Result<Values> import_optional(Importer& /*importer*/, const OnnxNode& node) {
  if (!node.has(0)) return Values{{.absent = true}};
  return Values{node.input(0)};
}

Result<Values> import_has_element(Importer& /*importer*/, const OnnxNode& node) {
  return Values{constant({Number{node.has(0) ? 1 : 0}}, {}, ElementType::boolean)};
}

Result<Values> import_get_element(Importer& importer, const OnnxNode& node) {
  if (!node.has(0)) return importer.refuse(node, "takes the element of an empty optional");
  return Values{node.input(0)};
}

}  // namespace

HandlerRows sequence_handlers() {
  static const HandlerRow rows[] = {{"SequenceConstruct", import_construct},
                                    {"SequenceEmpty", import_empty},
                                    {"SequenceInsert", import_insert},
                                    {"SequenceErase", import_erase},
                                    {"SequenceAt", import_at},
                                    {"SequenceLength", import_length},
                                    {"SplitToSequence", import_split},
                                    {"ConcatFromSequence", import_join},
                                    {"SequenceMap", import_map},
                                    {"Optional", import_optional},
                                    {"OptionalHasElement", import_has_element},
                                    {"OptionalGetElement", import_get_element}};
  return rows;
}

}  // namespace roofcast::onnx
