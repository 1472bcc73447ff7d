#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

#include "engine/lower/compiled_program.hpp"
#include "engine/lower/memory_events.hpp"
#include "engine/lower/reuse_distance.hpp"

namespace roofcast {
namespace {

std::map<std::string, Expr, std::less<>> definitions(const Program& program, const Bindings& overridden) {
  std::map<std::string, Expr, std::less<>> result;
  for (const Symbol& symbol : program.symbols) {
    if (!symbol.free() && !overridden.contains(symbol.name)) result.emplace(symbol.name, symbol.definition);
  }
  return result;
}

// Everything but the count, for finding kernels of the same sizes.
auto key_of(const CompiledKernel& kernel) {
  std::vector<Slot> sizes{static_cast<Slot>(kernel.form.index()),
                          static_cast<Slot>(kernel.arithmetic),
                          kernel.macs,
                          kernel.recomputed_macs,
                          kernel.operations,
                          kernel.bytes_read,
                          kernel.bytes_written,
                          static_cast<Slot>(kernel.phase)};
  for (const Reuse<Slot>& reuse : kernel.reused) {
    sizes.push_back(reuse.bytes);
    sizes.push_back(reuse.distance);
  }
  if (const auto* conv = std::get_if<Convolution<Slot>>(&kernel.form)) {
    sizes.push_back(static_cast<Slot>(conv->pass));
    sizes.push_back(conv->channels_last ? 1 : 0);
  }
  if (const auto* attention = std::get_if<Attention<Slot>>(&kernel.form)) {
    sizes.push_back(static_cast<Slot>(attention->pass));
    sizes.push_back(attention->causal ? 1 : 0);
  }
  if (const auto* stream = std::get_if<Stream<Slot>>(&kernel.form))
    sizes.push_back(static_cast<Slot>(stream->kind));
  if (const auto* gather = std::get_if<Gather<Slot>>(&kernel.form)) sizes.push_back(gather->scatter ? 1 : 0);
  map_dimensions<Slot>(kernel.form, [&](Slot slot) {
    sizes.push_back(slot);
    return slot;
  });
  return sizes;
}

void compile_kernels(CompiledProgram& compiled) {
  const Program& program = compiled.program;
  ExpressionTape& tape = compiled.tape;
  const Slot moved = tape.add(program.moved_bytes);
  std::map<std::vector<Slot>, std::pair<std::size_t, Expr>> distinct;
  for (const Step& step : program.steps) {
    const Expr repeats = program.multiplicity(step.region);
    for (const Kernel& kernel : step.kernels) {
      CompiledKernel entry{.form = map_dimensions<Slot>(
                               kernel.form, [&](const Expr& dimension) { return tape.add(dimension); }),
                           .arithmetic = kernel.arithmetic,
                           .macs = tape.add(kernel.macs),
                           .recomputed_macs = tape.add(kernel.recomputed_macs),
                           .operations = tape.add(kernel.operations),
                           .bytes_read = tape.add(kernel.bytes_read),
                           .bytes_written = tape.add(kernel.bytes_written),
                           .phase = step.phase};
      for (const Reuse<Expr>& reuse : kernel.reused)
        entry.reused.push_back({tape.add(reuse.bytes), tape.add(reuse.distance)});
      if (!kernel.reused_from_last_step.is(0))
        entry.reused.push_back({tape.add(kernel.reused_from_last_step), moved});
      const auto [known, is_new] =
          distinct.try_emplace(key_of(entry), std::pair{compiled.kernels.size(), Expr{0}});
      if (is_new) compiled.kernels.push_back(entry);
      known->second.second += repeats * kernel.count;
    }
  }
  for (const auto& [key, kernel] : distinct) {
    compiled.kernels[kernel.first].count = tape.add(kernel.second);
  }
}

void compile_totals(CompiledProgram& compiled) {
  const Program& program = compiled.program;
  ExpressionTape& tape = compiled.tape;
  Expr weights{0};
  Expr inputs{0};
  Expr caches{0};
  Expr parameters{0};
  Expr parameters_active{0};
  Expr statistics{0};
  Expr tensors{0};
  for (const ProgramTensor& tensor : program.tensors) {
    const Expr repeats = program.multiplicity(tensor.region);
    const Expr count = repeats * elements(tensor.shape);
    if (tensor.role == TensorRole::parameter) {
      tensors += repeats;
      parameters += count;
      parameters_active += tensor.used_per_token ? repeats * *tensor.used_per_token : count;
    }
    if (tensor.role == TensorRole::cache) caches += repeats * tensor.bytes;
    if (tensor.role == TensorRole::statistic) statistics += count;
    if (tensor.role == TensorRole::parameter || tensor.role == TensorRole::statistic) {
      weights += repeats * tensor.bytes;
    }
    if (tensor.role == TensorRole::input) inputs += tensor.bytes;
  }
  Expr macs{0};
  Expr forward_macs{0};
  Expr operations{0};
  Expr layers{0};
  Expr nodes{0};
  std::array<Expr, 3> operators{Expr{0}, Expr{0}, Expr{0}};
  for (const Step& step : program.steps) {
    const Expr repeats = program.multiplicity(step.region);
    if (step.called) operators[static_cast<std::size_t>(step.phase)] += repeats;
    Expr step_macs{0};
    for (const Kernel& kernel : step.kernels) {
      step_macs += kernel.count * kernel.macs;
      if (step.phase == Phase::forward) operations += repeats * kernel.count * kernel.operations;
    }
    macs += repeats * step_macs;
    if (step.phase != Phase::forward) continue;
    forward_macs += repeats * step_macs;
    layers += repeats * step.layer_elements;
    nodes += repeats;
  }
  constexpr std::int64_t fp32_bytes = 4;
  const int states = program.optimizer ? state_values(*program.optimizer) : 0;
  compiled.weight_bytes = tape.add(weights);
  compiled.input_bytes = tape.add(inputs);
  if (!caches.is(0)) compiled.cache_bytes = tape.add(caches);
  compiled.parameters = tape.add(parameters);
  compiled.parameters_active = tape.add(parameters_active);
  compiled.statistics = tape.add(statistics);
  compiled.optimizer_bytes = tape.add(parameters * Expr{states * fp32_bytes});
  compiled.macs = tape.add(macs);
  compiled.forward_macs = tape.add(forward_macs);
  compiled.forward_operations = tape.add(operations);
  compiled.layer_elements = tape.add(layers);
  compiled.nodes = tape.add(nodes);
  for (std::size_t i = 0; i < operators.size(); ++i) compiled.operators[i] = tape.add(operators[i]);
  compiled.tensors = tape.add(tensors);
  if (program.tokens) compiled.tokens = tape.add(*program.tokens);
}

void compile_checks(CompiledProgram& compiled) {
  ExpressionTape& tape = compiled.tape;
  for (const Constraint& constraint : compiled.program.constraints) {
    compiled.constraints.emplace_back(tape.add(constraint.left), tape.add(constraint.right));
  }
  std::set<Expr> seen;
  for (std::size_t id = 0; id < compiled.program.tensors.size(); ++id) {
    if (compiled.program.tensors[id].role == TensorRole::cache) continue;  // may be empty
    for (const Expr& dimension : compiled.program.tensors[id].shape) {
      if (dimension.is_constant() && dimension.constant() > 0) continue;
      if (seen.insert(dimension).second) {
        compiled.dimensions.emplace_back(tape.add(dimension), static_cast<TensorId>(id));
      }
    }
  }
  for (std::size_t id = 0; id < compiled.program.regions.size(); ++id) {
    compiled.trip_counts.emplace_back(tape.add(compiled.program.regions[id].repeat),
                                      static_cast<RegionId>(id));
  }
}

const Symbol* find_symbol(const Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.symbols, name, &Symbol::name);
  return found == program.symbols.end() ? nullptr : &*found;
}

bool holds(const CompiledProgram& compiled, std::span<const std::int64_t> slots) {
  const auto value = [&](Slot slot) { return slots[static_cast<std::size_t>(slot)]; };
  return std::ranges::all_of(compiled.dimensions,
                             [&](const auto& entry) { return value(entry.first) > 0; }) &&
         std::ranges::all_of(compiled.trip_counts,
                             [&](const auto& entry) { return value(entry.first) > 0; }) &&
         std::ranges::all_of(compiled.constraints,
                             [&](const auto& entry) { return value(entry.first) == value(entry.second); });
}

std::string values_of(const Expr& expression, const CompiledProgram& compiled, const Bindings& bindings) {
  std::string text;
  for (const std::string& name : expression.symbols()) {
    const Symbol* symbol = find_symbol(compiled.program, name);
    const auto bound = bindings.find(name);
    std::string value;
    if (bound != bindings.end()) {
      value = std::to_string(bound->second);
    } else if (symbol != nullptr) {
      value = to_string(symbol->definition);
    }
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  }
  return text.empty() ? text : fmt::format(" with {}", text);
}

// The two sides of a constraint that does not hold, with the symbols that they come from. A right side of 0
// is that of a division that should leave nothing.
std::string describe(const Constraint& constraint, std::int64_t left, std::int64_t right,
                     const CompiledProgram& compiled, const Bindings& bindings) {
  if (constraint.right.is(0)) {
    return fmt::format("the remainder is {}{}", left, values_of(constraint.left, compiled, bindings));
  }
  std::string origin;
  for (const Expr* side : {&constraint.left, &constraint.right}) {
    if (side->is_constant()) continue;
    origin += fmt::format("{}{}{}", origin.empty() ? "" : "; ", to_string(*side),
                          values_of(*side, compiled, bindings));
  }
  return origin.empty() ? fmt::format("{} and {}", left, right)
                        : fmt::format("{} and {} ({})", left, right, origin);
}

// Says what `holds` or the tape found wrong.
Diagnostics explain_failure(const CompiledProgram& compiled, std::span<const std::int64_t> slots,
                            const Bindings& bindings) {
  Diagnostics problems;
  const auto value = [&](Slot slot) { return slots[static_cast<std::size_t>(slot)]; };
  for (const auto& [slot, id] : compiled.dimensions) {
    if (value(slot) > 0) continue;
    const ProgramTensor& tensor = compiled.program.tensors[static_cast<std::size_t>(id)];
    const Expr& dimension = compiled.tape.expression(slot);
    problems.push_back(
        {{},
         fmt::format("a dimension of '{}' {} is {}: {}{}", tensor.name, to_string(tensor.shape), value(slot),
                     to_string(dimension), values_of(dimension, compiled, bindings)),
         "all dimensions must be at least 1; is an input too small for the model?"});
    break;  // the first one is the cause of what follows
  }
  for (const auto& [slot, id] : compiled.trip_counts) {
    const bool mirror = compiled.program.regions[static_cast<std::size_t>(id)].mirror != no_region &&
                        compiled.program.regions[static_cast<std::size_t>(id)].mirror < id;
    if (value(slot) > 0 || mirror) continue;  // a mirror block repeats what its block repeats
    const TypedRegion& region = compiled.program.regions[static_cast<std::size_t>(id)];
    problems.push_back({region.where,
                        fmt::format("block '{}' repeats {} times: {}{}", region.name, value(slot),
                                    to_string(region.repeat), values_of(region.repeat, compiled, bindings)),
                        "a block repeats at least once"});
  }
  for (std::size_t i = 0; i < compiled.constraints.size(); ++i) {
    const auto [left, right] = compiled.constraints[i];
    if (value(left) == value(right)) continue;
    const Constraint& constraint = compiled.program.constraints[i];
    problems.push_back({constraint.where,
                        fmt::format("{}: {}", constraint.message,
                                    describe(constraint, value(left), value(right), compiled, bindings)),
                        {}});
  }
  return problems;
}

}  // namespace

CompiledProgram compile(Program program, const Bindings& overridden) {
  note_reuse(program);
  CompiledProgram compiled{.program = std::move(program)};
  compiled.tape = ExpressionTape(definitions(compiled.program, overridden));
  for (const auto& [name, value] : overridden) compiled.overridden.insert(name);
  compile_kernels(compiled);
  compile_totals(compiled);
  compile_checks(compiled);
  for (const SymbolicMemoryEvent& event : memory_events(compiled.program)) {
    compiled.memory.push_back({event.kind, event.account, compiled.tape.add(event.size)});
  }
  return compiled;
}

Result<std::vector<std::int64_t>> input_values(const CompiledProgram& compiled, const Bindings& bindings) {
  Diagnostics problems;
  for (const auto& [name, value] : bindings) {
    const Symbol* known = find_symbol(compiled.program, name);
    if (known != nullptr && !known->free() && !compiled.overridden.contains(name)) {
      problems.push_back({{},
                          fmt::format("symbol '{}' of model '{}' is derived: {}", name,
                                      compiled.program.model, to_string(known->definition)),
                          "it can only take a value that the program was compiled for"});
    }
    if (known == nullptr) {
      std::vector<std::string> names;
      for (const Symbol& symbol : compiled.program.symbols) names.push_back(symbol.name);
      problems.push_back({{},
                          fmt::format("model '{}' has no symbol '{}'", compiled.program.model, name),
                          did_you_mean(name, names,
                                       names.empty() ? std::string("it has no symbols at all")
                                                     : fmt::format("it has {}", fmt::join(names, ", ")))});
    }
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  std::vector<std::int64_t> values;
  for (const std::string& name : compiled.tape.inputs()) {
    const auto bound = bindings.find(name);
    const Symbol* symbol = find_symbol(compiled.program, name);
    if (bound != bindings.end()) {
      values.push_back(bound->second);
    } else if (symbol != nullptr && symbol->free()) {
      values.push_back(symbol->definition.constant());
    } else {
      return fail(fmt::format("symbol '{}' has no value", name), {},
                  fmt::format("give one with --set {}=N", name));
    }
  }
  return values;
}

bool fill_slots(const CompiledProgram& compiled, std::span<const std::int64_t> values,
                std::span<std::int64_t> slots) {
  return compiled.tape.evaluate(values, slots) < 0 && holds(compiled, slots);
}

Result<std::vector<std::int64_t>> slot_values(const CompiledProgram& compiled, const Bindings& bindings) {
  const auto values = input_values(compiled, bindings);
  if (!values) return tl::unexpected(values.error());
  std::vector<std::int64_t> slots(compiled.tape.slots(), 0);
  if (compiled.tape.evaluate(*values, slots) >= 0) {
    std::string bound;
    for (std::size_t i = 0; i < values->size(); ++i) {
      bound += fmt::format("{}{} = {}", i == 0 ? "" : ", ", compiled.tape.inputs()[i], (*values)[i]);
    }
    return fail(fmt::format("the sizes of model '{}' overflow 64 bits or divide by zero with {}",
                            compiled.program.model, bound),
                {}, "are the symbols as large as meant?");
  }
  if (!holds(compiled, slots)) return tl::make_unexpected(explain_failure(compiled, slots, bindings));
  return slots;
}

}  // namespace roofcast
