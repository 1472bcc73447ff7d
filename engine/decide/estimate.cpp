#include "engine/decide/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
  Bindings bindings = request.symbols;
  std::vector<std::int64_t> asked = request.batches;
  if (const auto set = bindings.find("batch"); set != bindings.end()) {
    if (asked.empty()) asked = {set->second};
    bindings.erase(set);
  }
  if (asked.empty() && model.fixed_batch) asked = {*model.fixed_batch};
  std::size_t done = 0;
  Diagnostics refused;
  std::vector<std::vector<AnswerRow>> rows(models->size());
  for (const PrecisionPolicy& policy : *policies) {
    std::vector<CompiledProgram> programs;
    for (const PhaseModel& phase : *models) {
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
    for (std::size_t i = 0; i < models->size(); ++i) {
      const PhaseModel& phase = (*models)[i];
      Evaluator evaluator(programs[i], platform.device, platform.runtime, platform.priors);
      for (const std::int64_t batch : batches) {
        Bindings at = bindings;
        at["batch"] = batch;
        const auto prediction = evaluator.evaluate(at);
        if (!prediction) {  // one size that makes no sense does not spoil the others
          if (refused.empty()) refused = prediction.error();
          const std::string name = models->size() > 1 ? phase.phase + ", " : std::string{};
          group.skipped.push_back(fmt::format("{}{}, batch {}: {}", name, policy.name, batch,
                                              prediction.error().front().message));
          continue;
        }
        rows[i].push_back(answer_row(phase, platform, request, policy, batch, *prediction));
        constexpr std::size_t often = 256;
        if (progress && ++done % often == 0)
          progress(done, policies->size() * models->size() * batches.size());
      }
    }
  }
  for (std::vector<AnswerRow>& of_phase : rows) {
    std::ranges::move(of_phase, std::back_inserter(group.rows));
  }
  if (group.rows.empty()) return tl::make_unexpected(std::move(refused));
  group.recommended = recommended_row(group.rows, group.phase);
  group.verdict = verdict(group);
  return group;
}

}  // namespace roofcast
