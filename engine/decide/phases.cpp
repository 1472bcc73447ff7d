#include "engine/decide/phases.hpp"

#include "engine/graph/serving_phase.hpp"

namespace roofcast {

Result<std::vector<PhaseModel>> phase_models(const Graph& model, const Request& request) {
  if (request.task == Task::training) {
    if (!request.phases.empty())
      return fail("training has no phases: it is one step", {}, "leave out --phase");
    return std::vector{PhaseModel{"step", model}};
  }
  const auto names = phases_of(model, request.phases);
  if (!names) return tl::unexpected(names.error());
  std::vector<PhaseModel> models;
  for (const std::string& name : *names) {
    auto graph = in_phase(model, name, request.symbols);
    if (!graph) return tl::unexpected(graph.error());
    models.push_back({name, *std::move(graph)});
  }
  return models;
}

std::string deciding_phase(const std::vector<PhaseModel>& models) {
  std::vector<std::string> names;
  for (const PhaseModel& model : models) names.push_back(model.phase);
  return deciding_phase(names);
}

}  // namespace roofcast
