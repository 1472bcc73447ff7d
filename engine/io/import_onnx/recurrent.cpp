// LSTM, GRU and RNN. ONNX keeps directions in a dimension of their own; our layer keeps their states side by
// side.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

struct Layer {
  std::string_view op{};
  std::string_view ours{};
  std::int64_t gates = 1;
  std::size_t states = 1;  ///< handed from step to step: outputs behind Y, and inputs behind the lengths
};

constexpr Layer layers[] = {{"LSTM", "lstm", 4, 2},
                            {"GRU", "gru", 3, 1},
                            {"RNN", "rnn", 1, 1},
                            {"DynamicQuantizeLSTM", "lstm", 4, 2}};

// The states to start from, as [directions, batch, hidden]. Constants (zeros, in practice) need no reading.
Result<Values> initial_states(Importer& importer, const OnnxNode& node, const Layer& layer,
                              bool batch_first) {
  constexpr std::size_t first = 5;
  Values states;
  for (std::size_t i = first; i < first + layer.states; ++i) {
    if (!node.has(i) || node.input(i).value == no_value) continue;
    const OnnxValue& state = node.input(i);
    if (state.rank() != 3)
      return importer.refuse(node, fmt::format("cannot start from {}", to_string(state.shape)));
    auto ordered = batch_first ? importer.permuted(node, state, {1, 0, 2}) : Result<OnnxValue>{state};
    if (!ordered) return tl::unexpected(ordered.error());
    states.push_back(*std::move(ordered));
  }
  return states;
}

// Inputs: X, W, R, B, lengths, initial states, peepholes (some elements more; not counted). Lengths change no
// shape, and all steps are counted.
Result<Values> import_recurrent(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const Layer& layer = *std::ranges::find(layers, node.op(), &Layer::op);
  const OnnxValue& input = node.input(0);
  const OnnxValue& weight = node.input(1);
  const OnnxValue& recurrent = node.input(2);
  if (input.rank() != 3 || weight.rank() != 3 || recurrent.rank() != 3) {
    return importer.refuse(
        node, fmt::format("wants three dimensions of input and weights, not {}, {} and {}",
                          to_string(input.shape), to_string(weight.shape), to_string(recurrent.shape)));
  }
  const bool batch_first = node.integer("layout") != 0;
  const Expr directions{node.text("direction", "forward") == "bidirectional" ? 2 : 1};
  // Quantised weights are stored as [directions, input, gates * hidden].
  const bool turned = node.op() == "DynamicQuantizeLSTM";
  const Expr hidden = node.has_attribute("hidden_size") ? Expr{node.integer("hidden_size")}
                      : turned                          ? recurrent.shape[1]
                                                        : recurrent.shape[2];
  const Expr gates = Expr{layer.gates} * hidden;
  if (!(weight.shape[0] == directions) || !(weight.shape[turned ? 2 : 1] == gates) ||
      !(weight.shape[turned ? 1 : 2] == input.shape[2])) {
    return importer.refuse(
        node, fmt::format("weights {} do not fit {} directions, {} gates of {} and an input of {}",
                          to_string(weight.shape), to_string(directions), layer.gates, to_string(hidden),
                          to_string(input.shape[2])));
  }
  auto states = initial_states(importer, node, layer, batch_first);
  if (!states) return tl::unexpected(states.error());

  Attributes attributes;
  attributes.set("hidden", hidden);
  attributes.set("bias", node.has(3));
  if (!directions.is(1)) attributes.set("directions", directions);
  if (!batch_first) attributes.set("sequence_first", true);
  const bool wants_final = node.wants(1) || node.wants(2);
  if (wants_final) attributes.set("final_states", true);
  Emission emission{.op = layer.ours,
                    .attributes = attributes,
                    .outputs = 1 + (wants_final ? layer.states : 0),
                    .weights = {weight, recurrent}};
  if (node.has(3)) emission.weights.push_back(node.input(3));
  Values inputs{input};
  inputs.insert(inputs.end(), states->begin(), states->end());
  auto results = importer.emit(node, std::move(emission), inputs);
  if (!results) return results;

  // Y is [length, directions, batch, hidden], or with the batch in front [batch, length, directions, hidden].
  const Shape split{input.shape[0], input.shape[1], directions, hidden};
  auto all = importer.with_shape(node, (*results)[0], split);
  if (!all) return tl::unexpected(all.error());
  if (!batch_first) all = importer.permuted(node, *all, {0, 2, 1, 3});
  if (!all) return tl::unexpected(all.error());
  Values outputs{*all};
  for (std::size_t i = 1; i < results->size(); ++i) {
    auto last = batch_first ? importer.permuted(node, (*results)[i], {1, 0, 2}) : (*results)[i];
    if (!last) return tl::unexpected(last.error());
    outputs.push_back(*std::move(last));
  }
  return outputs;
}

}  // namespace

HandlerRows recurrent_handlers() {
  static const std::vector<HandlerRow> rows = [] {
    std::vector<HandlerRow> all;
    for (const Layer& layer : layers) all.push_back({layer.op, import_recurrent});
    return all;
  }();
  return rows;
}

}  // namespace roofcast::onnx
