#pragma once
// What a request looks at of one model: a training step, a forward pass, or the phases of serving it.

#include <string>
#include <vector>

#include "engine/decide/request.hpp"
#include "engine/graph/graph.hpp"

namespace roofcast {

/// The model with the symbols of one phase.
struct PhaseModel {
  std::string phase{};  ///< as in the rows
  Graph graph{};
};

/// "step" for training; for inference the phases asked for, or all of the model's, or "forward". Errors: a
/// phase that the model lacks, phases of training, a symbol that the user sets and a phase defines.
Result<std::vector<PhaseModel>> phase_models(const Graph& model, const Request& request);

/// The phase that decides which configuration is recommended and explained.
std::string deciding_phase(const std::vector<PhaseModel>& models);

}  // namespace roofcast
