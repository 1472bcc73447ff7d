#include "engine/graph/serving_phase.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/symbol_order.hpp"

namespace roofcast {
namespace {

std::vector<std::string> names_of(const Graph& model) {
  std::vector<std::string> names;
  for (const ServingPhase& phase : model.phases) names.push_back(phase.name);
  names.emplace_back(plain_phase);
  return names;
}

Diagnostic unknown_phase(const Graph& model, const std::string& name) {
  const std::vector<std::string> known = names_of(model);
  return {{},
          fmt::format("model '{}' has no phase '{}'", model.name, name),
          did_you_mean(name, known, fmt::format("it has {}", fmt::join(known, ", ")))};
}

}  // namespace

Result<std::vector<std::string>> phases_of(const Graph& model, const std::vector<std::string>& asked) {
  const std::vector<std::string> known = names_of(model);
  if (asked.empty()) {
    if (model.phases.empty()) return known;
    return std::vector<std::string>(known.begin(), known.end() - 1);
  }
  Diagnostics problems;
  for (const std::string& name : asked) {
    if (std::ranges::find(known, name) == known.end()) problems.push_back(unknown_phase(model, name));
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  return asked;
}

std::string deciding_phase(const std::vector<std::string>& phases) {
  const auto decode = std::ranges::find(phases, "decode");
  return decode != phases.end() ? *decode : phases.back();
}

Result<Graph> in_phase(const Graph& model, const std::string& name, const Bindings& set) {
  Graph result = model;
  result.phases.clear();
  if (name == plain_phase) return result;
  const auto phase = std::ranges::find(model.phases, name, &ServingPhase::name);
  if (phase == model.phases.end()) return tl::make_unexpected(Diagnostics{unknown_phase(model, name)});
  Diagnostics problems;
  std::map<std::string, Symbol> symbols;
  for (const Symbol& symbol : model.symbols) symbols[symbol.name] = symbol;
  for (const Symbol& symbol : phase->symbols) {
    if (set.contains(symbol.name)) {
      const auto needs = symbol.definition.symbols();
      const std::string instead = needs.empty() ? "" : fmt::format("set {}, or ", fmt::join(needs, ", "));
      problems.push_back(
          {{},
           fmt::format("symbol '{}' of model '{}' is {} in phase '{}'", symbol.name, model.name,
                       to_string(symbol.definition), name),
           fmt::format("{}take `--phase {}`, which leaves all symbols as they are", instead, plain_phase)});
    }
    symbols[symbol.name] = symbol;
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  auto sorted = order_symbols(symbols);
  if (!sorted) return tl::unexpected(sorted.error());
  result.symbols = *std::move(sorted);
  if (phase->tokens) result.tokens = phase->tokens;
  return result;
}

}  // namespace roofcast
