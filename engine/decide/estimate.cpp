#include "engine/decide/estimate.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "engine/decide/batch_search.hpp"
#include "engine/decide/recommend.hpp"
#include "engine/decide/row.hpp"

namespace roofcast {
namespace {

std::string supported_list(const Device& device, Task task) {
  std::vector<std::string> names;
  for (const PrecisionPolicy& policy : precision_presets()) {
    if ((task == Task::training ? policy.training : policy.inference) && device.supports(policy)) {
      names.push_back(policy.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const PrecisionPolicy& policy : precision_presets()) names.push_back(policy.name);
  return names;
}

}  // namespace

Result<std::vector<PrecisionPolicy>> precisions_for(const Device& device, const Request& request) {
  std::vector<PrecisionPolicy> policies;
  const auto for_task = [&](const PrecisionPolicy& policy) {
    return request.task == Task::training ? policy.training : policy.inference;
  };
  if (request.precisions.empty()) {
    for (const PrecisionPolicy& policy : precision_presets()) {
      if (for_task(policy) && device.supports(policy)) policies.push_back(policy);
    }
    return policies;
  }
  Diagnostics problems;
  for (const std::string& name : request.precisions) {
    const PrecisionPolicy* policy = find_precision(name);
    const std::string_view task = request.task == Task::training ? "training" : "inference";
    if (policy == nullptr) {
      const std::vector<std::string> names = preset_names();
      problems.push_back({{}, fmt::format("unknown precision '{}'", name),
                          did_you_mean(name, names, fmt::format("precisions are {}", fmt::join(names, ", ")))});
    } else if (!for_task(*policy)) {
      problems.push_back({{}, fmt::format("precision '{}' is not for {}", name, task),
                          fmt::format("for {} on this card: {}", task, supported_list(device, request.task))});
    } else if (!device.supports(*policy)) {
      problems.push_back({{}, fmt::format("{} has no {}", device.name, name),
                          fmt::format("for {} it has {}", task, supported_list(device, request.task))});
    } else {
      policies.push_back(*policy);
    }
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  return policies;
}

Result<AnswerGroup> estimate(const Graph& model, const Platform& platform, const Request& request,
                             const Progress& progress) {
  const auto policies = precisions_for(platform.device, request);
  if (!policies) return tl::unexpected(policies.error());
  if (std::ranges::find(model.symbols, "batch", &Symbol::name) == model.symbols.end()) {
    return fail("the model has no symbol 'batch'", {model.file, 0, 0},
                "let [symbols] define 'batch' and use it as the first dimension of the inputs");
  }
  AnswerGroup group{.hw = platform.device.slug,
                    .hw_name = platform.device.name,
                    .model = model.name,
                    .model_file = model.file};
  Bindings bindings = request.symbols;
  std::vector<std::int64_t> asked = request.batches;
  if (const auto set = bindings.find("batch"); set != bindings.end()) {
    if (asked.empty()) asked = {set->second};
    bindings.erase(set);
  }
  std::size_t done = 0;
  for (const PrecisionPolicy& policy : *policies) {
    const auto compiled = compile(model, compile_options(platform, request, policy));
    if (!compiled) return tl::unexpected(compiled.error());
    Evaluator evaluator(*compiled, platform.device, platform.runtime, platform.priors);
    std::vector<std::int64_t> batches = asked;
    if (batches.empty()) {
      const auto largest = largest_batch(evaluator, bindings);
      if (!largest) return tl::unexpected(largest.error());
      batches = batch_grid(std::max<std::int64_t>(*largest, 1));  // batch 1 shows by how much it does not fit
    }
    for (const std::int64_t batch : batches) {
      Bindings at = bindings;
      at["batch"] = batch;
      const auto prediction = evaluator.evaluate(at);
      if (!prediction) return tl::unexpected(prediction.error());
      group.rows.push_back(answer_row(model, platform, request, policy, batch, *prediction));
      constexpr std::size_t often = 256;
      if (progress && ++done % often == 0) progress(done, policies->size() * batches.size());
    }
  }
  group.recommended = recommended_row(group.rows);
  group.verdict = verdict(group);
  return group;
}

}  // namespace roofcast
