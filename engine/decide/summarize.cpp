#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "engine/decide/estimate.hpp"
#include "engine/decide/symbols.hpp"
#include "engine/decide/weights_note.hpp"
#include "engine/predict.hpp"

namespace roofcast {
namespace {

std::string spelled(const ProgramTensor& tensor, const Bindings& bindings, bool real) {
  std::string text;
  for (const Expr& dimension : tensor.shape) {
    const auto value = dimension.evaluate(bindings);
    text += fmt::format("{}{}", text.empty() ? "" : "x", value ? std::to_string(*value) : "?");
  }
  return fmt::format("{}:{}", text.empty() ? "scalar" : text, real ? "real" : to_string(tensor.dtype));
}

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

}  // namespace

Result<ModelSummary> summarize(const Graph& model, const Bindings& symbols) {
  if (model.weights_only()) {
    ModelSummary summary{.name = model.name, .file = model.file, .notes = model.notes};
    summary.weights = model.stored_weights;
    summary.weights_only = true;
    append(summary.notes, model.stored_weights->notes);
    return summary;
  }
  const auto compiled = compile(model, CompileOptions{.overridden = symbols});
  if (!compiled) return tl::unexpected(compiled.error());
  const auto slots = slot_values(*compiled, symbols);
  if (!slots) return tl::unexpected(slots.error());
  const auto bindings = all_symbols(model.symbols, symbols);
  if (!bindings) return tl::unexpected(bindings.error());
  const auto value = [&](Slot slot) { return (*slots)[static_cast<std::size_t>(slot)]; };
  ModelSummary summary{.name = model.name,
                       .file = model.file,
                       .parameters = value(compiled->parameters),
                       .parameters_active = value(compiled->parameters_active),
                       .statistics = value(compiled->statistics),
                       .initializer_elements = value(compiled->parameters) + value(compiled->statistics),
                       .macs = value(compiled->forward_macs),
                       .flops = 2 * value(compiled->forward_macs),
                       .other_operations = value(compiled->forward_operations),
                       .activation_elements = value(compiled->layer_elements),
                       .nodes = value(compiled->nodes),
                       .notes = compiled->program.notes};
  if (model.file_counts) {  // a file may store more than its operators use
    summary.parameters_active += model.file_counts->parameters - summary.parameters;
    summary.parameters = model.file_counts->parameters;
    summary.statistics = model.file_counts->statistics;
    summary.initializer_elements = model.file_counts->initializer_elements;
  }
  if (model.stored_weights) {
    summary.weights = model.stored_weights;
    append(summary.notes, model.stored_weights->notes);
    const std::string note = weights_note(*model.stored_weights, summary.parameters, summary.statistics);
    if (!note.empty()) summary.notes.push_back(note);
  }
  for (const Symbol& symbol : model.symbols)
    summary.symbols.emplace_back(symbol.name, bindings->at(symbol.name));
  const Program& program = compiled->program;
  const auto typed = infer_shapes(model, Task::inference);
  const auto describe_all = [&](const std::vector<TensorId>& ids, auto& into) {
    for (const TensorId id : ids) {
      const ProgramTensor& tensor = program.tensors[static_cast<std::size_t>(id)];
      const bool real = typed && !typed->tensor(id).type.dtype;
      into.emplace_back(tensor.name, spelled(tensor, *bindings, real));
    }
  };
  describe_all(program.inputs, summary.inputs);
  describe_all(program.outputs, summary.outputs);
  std::map<std::string, std::int64_t> operators;
  for (const Step& step : program.steps) {
    const auto repeats = program.multiplicity(step.region).evaluate(*bindings);
    operators[std::string(step.op)] += repeats.value_or(1);
  }
  summary.operators.assign(operators.begin(), operators.end());
  std::ranges::stable_sort(summary.operators, std::greater<>{},
                           &std::pair<std::string, std::int64_t>::second);
  return summary;
}

}  // namespace roofcast
