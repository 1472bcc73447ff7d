#include "engine/decide/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/decide/batch_search.hpp"
#include "engine/decide/phases.hpp"
#include "engine/decide/precisions.hpp"
#include "engine/decide/recommend.hpp"
#include "engine/decide/row.hpp"

namespace roofcast {
namespace {

bool depends_on_batch(const Graph& model, const Expr& size) {
  for (const std::string& name : size.symbols()) {
    if (name == "batch") return true;
    const auto symbol = std::ranges::find(model.symbols, name, &Symbol::name);
    if (symbol != model.symbols.end() && !symbol->free() && depends_on_batch(model, symbol->definition))
      return true;
  }
  return false;
}

Result<void> require_batch(const Graph& model) {
  if (model.fixed_batch) return {};
  if (model.weights_only()) return {};  // then there is no input either, and compiling it says why
  const bool known = std::ranges::find(model.symbols, "batch", &Symbol::name) != model.symbols.end();
  const bool used = std::ranges::any_of(model.inputs, [&](const GraphInput& input) {
    return std::ranges::any_of(input.type.shape,
                               [&](const Expr& size) { return depends_on_batch(model, size); });
  });
  if (known && used) return {};
  return fail(
      known ? "no input of the model depends on its symbol 'batch'" : "the model has no symbol 'batch'",
      {model.file, 0, 0}, "let [symbols] define 'batch' and use it as the first dimension of the inputs");
}

// A batch must fit in every phase: a server goes through all of them.
Result<std::int64_t> largest_batch_of_all(const std::vector<CompiledProgram>& programs,
                                          const Platform& platform, const Bindings& bindings) {
  std::optional<std::int64_t> smallest;
  for (const CompiledProgram& program : programs) {
    Evaluator evaluator(program, platform.device, platform.runtime, platform.priors);
    const auto largest = largest_batch(evaluator, bindings);
    if (!largest) return largest;
    smallest = std::min(smallest.value_or(*largest), *largest);
  }
  return smallest.value_or(0);
}

// A curve for each phase and precision, those of a phase side by side. `asked`: batch sizes; none: those that
// fit.
Result<std::vector<Curve>> curves_of(const std::vector<PhaseModel>& models,
                                     const std::vector<PrecisionPolicy>& policies, const Platform& platform,
                                     const Request& request, const Bindings& bindings,
                                     const std::vector<std::int64_t>& asked) {
  const std::size_t count = policies.size() * models.size();
  if (asked.size() * count > static_cast<std::size_t>(most_configurations)) {
    return fail(fmt::format("{} batch sizes in {} precisions and phases are more than {} configurations",
                            asked.size(), count, most_configurations),
                {}, "ask for fewer of --batch, --precision or --phase at a time");
  }
  std::vector<Curve> curves(count);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const PrecisionPolicy& policy = policies[p];
    std::vector<CompiledProgram> programs;
    for (const PhaseModel& phase : models) {
      auto compiled = compile(phase.graph, compile_options(platform, request, policy));
      if (!compiled) return tl::unexpected(compiled.error());
      programs.push_back(*std::move(compiled));
    }
    std::vector<std::int64_t> batches = asked;
    if (batches.empty()) {
      const auto largest = largest_batch_of_all(programs, platform, bindings);
      if (!largest) return tl::unexpected(largest.error());
      batches = batch_grid(std::max<std::int64_t>(*largest, 1));  // batch 1 shows by how much it does not fit
    }
    for (std::size_t i = 0; i < models.size(); ++i)
      curves[i * policies.size() + p] = {&models[i], &policy, std::move(programs[i]), batches};
  }
  return curves;
}

}  // namespace

Result<AnswerGroup> estimate(const Graph& model, const Platform& platform, const Request& request,
                             const Progress& progress) {
  const auto models = phase_models(model, request);
  if (!models) return tl::unexpected(models.error());
  const auto policies = precisions_for(platform.device, request, model.stored);
  if (!policies) return tl::unexpected(policies.error());
  if (auto ok = require_batch(model); !ok) return tl::unexpected(ok.error());
  AnswerGroup group{.hw = platform.device.slug,
                    .hw_name = platform.device.name,
                    .model = model.name,
                    .phase = deciding_phase(*models)};
  for (const std::string& name : request.listed) {
    if (const auto value = request.symbols.find(name); value != request.symbols.end())
      group.listed.insert(*value);
  }
  Bindings bindings = request.symbols;
  std::vector<std::int64_t> asked = request.batches;
  if (const auto set = bindings.find("batch"); set != bindings.end()) {
    if (asked.empty()) asked = {set->second};
    bindings.erase(set);
  }
  if (asked.empty() && model.fixed_batch) asked = {*model.fixed_batch};
  const auto curves = curves_of(*models, *policies, platform, request, bindings, asked);
  if (!curves) return tl::unexpected(curves.error());
  Swept swept = sweep(*curves, platform, request, bindings, progress);
  group.rows = std::move(swept.rows);
  // One size that makes no sense does not spoil the others. Told by precision, phase and batch.
  std::ranges::stable_sort(swept.refused, {},
                           [&](const Refusal& refusal) { return refusal.curve % policies->size(); });
  for (const Refusal& refusal : swept.refused) {
    const Curve& curve = (*curves)[refusal.curve];
    std::string name = group.listed.empty() ? std::string{} : listed_values(group) + ", ";
    if (models->size() > 1) name += curve.phase->phase + ", ";
    group.skipped.push_back(fmt::format("{}{}, batch {}: {}", name, curve.policy->name,
                                        curve.batches[refusal.place], refusal.problems.front().message));
  }
  if (group.rows.empty()) {
    return tl::make_unexpected(swept.refused.empty() ? Diagnostics{} : swept.refused.front().problems);
  }
  group.recommended = recommended_row(group.rows, group.phase);
  group.verdict = verdict(group);
  return group;
}

}  // namespace roofcast
