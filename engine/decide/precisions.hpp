#pragma once
// Which precisions a request is about.

#include <vector>

#include "engine/decide/request.hpp"
#include "engine/graph/graph.hpp"

namespace roofcast {

/// The policies that a request asks for, or all usual ones that the card supports for its task. If the model
/// comes with quantised weights, inference is by default in that format, and in 16 bits to compare; a card
/// that lacks its arithmetic keeps the weights so and multiplies in 16 bits. Errors: an unknown precision,
/// one for the other task, one that the card lacks.
Result<std::vector<PrecisionPolicy>> precisions_for(const Device& device, const Request& request,
                                                    const std::optional<StoredFormat>& stored = {});

/// Whether the model's file stores its weights so.
bool is_stored(const Graph& model, const PrecisionPolicy& policy);

}  // namespace roofcast
