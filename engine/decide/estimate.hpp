#pragma once
// From a request to an answer: all precisions and batch sizes of one model on one card.

#include <optional>

#include "engine/decide/answer.hpp"
#include "engine/decide/explanation.hpp"
#include "engine/decide/request.hpp"
#include "engine/decide/sweep.hpp"
#include "engine/graph/graph.hpp"

namespace roofcast {

/// All rows, the recommended one and the verdict. Errors: a shape mismatch, an unknown precision or one that
/// the card lacks, a symbol without a value, a model without a `batch` symbol, more than
/// `most_configurations`.
Result<AnswerGroup> estimate(const Graph& model, const Platform& platform, const Request& request,
                             const Progress& progress = {});

/// The assumptions that hold for every row of the request.
std::vector<std::string> assumptions(const Graph& model, const Platform& platform, const Request& request);

/// One configuration, kernel by kernel. `request.precisions` names exactly one and `request.batches` has one
/// entry; without a phase it is the one that decides (decode).
Result<Explanation> explain(const Graph& model, const Platform& platform, const Request& request,
                            bool expand = false);

/// Counts of the forward pass for inference, or with `Task::training` of the training graph's forward pass.
Result<ModelSummary> summarize(const Graph& model, const Bindings& symbols = {});

}  // namespace roofcast
