// Whole loops that generate text. How many steps they take depends on what they write, so one step is
// counted: the model in the node reads the encoder's input once and makes one token after as many as the
// prompt has.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {
namespace {

// One number from an input of the node; a symbol that the user can set if only the data knows it.
Expr number_of(Importer& importer, const OnnxNode& node, std::size_t input, std::string_view what,
               std::int64_t usual) {
  if (!node.has(input)) return Expr{1};
  const auto given = whole_numbers(node.input(input));
  if (given && given->size() == 1) return given->front();
  const Expr symbol = importer.new_symbol(fmt::format("{}", what), usual);
  importer.note(
      fmt::format("'{}' takes {} as an input: set it with --set {}=N", node.name(), what, to_string(symbol)));
  return symbol;
}

/// Sizes that the inputs of a step have.
struct Step {
  Expr batch{1};   ///< samples times beams
  Expr prompt{1};  ///< tokens before this one
  Expr past{1};    ///< kept keys and values of the decoder
};

// An input of the step's graph, of the size that its name and its place tell.
Result<OnnxValue> made_input(Importer& importer, const OnnxNode& node, const ValueInfo& input,
                             const Step& step) {
  if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape())
    return importer.refuse(node, fmt::format("its graph does not say the shape of '{}'", input.name()));
  const auto& type = input.type().tensor_type();
  const auto holds = [&](std::string_view word) { return input.name().find(word) != std::string::npos; };
  const int rank = type.shape().dim_size();
  const int batch_axis = rank == 5 ? 1 : 0;
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    const auto& dimension = type.shape().dim(axis);
    if (dimension.has_dim_value() && dimension.dim_value() > 0) {
      shape.emplace_back(dimension.dim_value());
    } else if (axis == batch_axis) {
      shape.push_back(step.batch);
    } else if (holds("encoder") || holds("cross")) {
      shape.push_back(step.prompt);
    } else if (holds("past")) {
      shape.push_back(step.past);
    } else if (holds("mask")) {
      shape.push_back(step.past + Expr{1});
    } else {
      shape.emplace_back(1);
    }
  }
  const auto element = static_cast<ElementType>(type.elem_type());
  return importer.emit_one(
      node, {.op = "fill", .attributes = result_attributes(shape, element), .element = element}, {});
}

Result<Values> run_step(Importer& importer, const OnnxNode& node, const Graph& graph, const Step& step,
                        const std::optional<OnnxValue>& first) {
  Values inputs;
  for (const ValueInfo& input : graph.input()) {
    if (inputs.empty() && first) {
      inputs.push_back(*first);
      continue;
    }
    auto made = made_input(importer, node, input, step);
    if (!made) return tl::unexpected(made.error());
    inputs.push_back(*made);
  }
  return importer.run_subgraph(graph, inputs, node);
}

// Words, largest and smallest length, then for a beam search the number of beams and of results per sample.
Result<Values> import_generation(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const Graph* decoder = node.graph("decoder");
  const Graph* encoder = node.graph("encoder");
  if (decoder == nullptr) return importer.refuse(node, "has no decoder");
  const OnnxValue& words = node.input(0);
  if (words.rank() < 2) return importer.refuse(node, "wants words as [batch, length]");
  const bool beams = node.op() == "BeamSearch";
  const Expr length = number_of(importer, node, 1, "max_length", 128);
  const Expr width = beams ? number_of(importer, node, 3, "num_beams", 4) : Expr{1};
  const Expr results = beams ? number_of(importer, node, 4, "num_return_sequences", 1) : Expr{1};

  Step step{.batch = words.shape[0], .prompt = words.shape.back(), .past = words.shape.back()};
  Values made;
  if (encoder != nullptr) {
    step.past = Expr{1};
    auto states = run_step(importer, node, *encoder, step, words);
    if (!states) return states;
    if (states->empty()) return importer.refuse(node, "its encoder has no results");
    made.push_back(states->front());
  }
  step.batch = step.batch * width;
  auto scores = run_step(importer, node, *decoder, step, std::nullopt);
  if (!scores) return scores;
  if (scores->empty()) return importer.refuse(node, "its decoder has no results");
  importer.note(fmt::format("'{}' generates until the data says stop: {}one step of the decoder is counted",
                            node.name(), encoder != nullptr ? "the encoder and " : ""));
  auto best = importer.emit_one(node,
                                {.op = "reduce",
                                 .attributes = result_attributes({step.batch}, ElementType::int32),
                                 .element = ElementType::int32},
                                {scores->front()});
  if (!best) return tl::unexpected(best.error());
  made.push_back(*best);
  Shape sequences{words.shape[0], length};
  if (beams) sequences.insert(sequences.begin() + 1, results);
  Values outputs;
  const Shape shapes[] = {sequences, {words.shape[0], results}};
  const ElementType types[] = {ElementType::int32, ElementType::float32};
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    const std::size_t kind = std::min<std::size_t>(i, 1);
    auto output = importer.emit_one(
        node,
        {.op = "opaque", .attributes = result_attributes(shapes[kind], types[kind]), .element = types[kind]},
        made);
    if (!output) return tl::unexpected(output.error());
    outputs.push_back(*output);
  }
  return outputs;
}

}  // namespace

HandlerRows generation_handlers() {
  static const HandlerRow rows[] = {{"BeamSearch", import_generation},
                                    {"WhisperBeamSearch", import_generation},
                                    {"GreedySearch", import_generation},
                                    {"Sampling", import_generation}};
  return rows;
}

}  // namespace roofcast::onnx
