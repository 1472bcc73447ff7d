#pragma once
// A prediction as a row of the answer: throughput, money, notes.

#include "engine/decide/answer.hpp"
#include "engine/decide/phases.hpp"
#include "engine/decide/request.hpp"
#include "engine/graph/graph.hpp"
#include "engine/predict.hpp"

namespace roofcast {

CompileOptions compile_options(const Platform& platform, const Request& request,
                               const PrecisionPolicy& policy);

/// `alone`: the prediction for inputs that are already on the card.
AnswerRow answer_row(const PhaseModel& model, const Platform& platform, const Request& request,
                     const PrecisionPolicy& policy, std::int64_t batch, const Prediction& alone);

}  // namespace roofcast
