#pragma once
// The batch size of a file whose sizes are all numbers.

#include <optional>

#include "engine/graph/graph.hpp"

namespace roofcast::onnx {

/// Whether all sizes are at least 1 and all that must be equal are, at the symbols' defaults, at `given` and
/// with this batch.
bool consistent(const roofcast::Graph& graph, const Bindings& given, std::optional<std::int64_t> batch = {});

/// The leading dimension that all inputs have in common; none if they differ or are scalars.
std::optional<std::int64_t> leading_size(const roofcast::Graph& graph);

/// Whether `scaled`, which has the batch as a symbol, is the same model as `fixed` at that size, and still
/// one at others.
bool scales(const roofcast::Graph& scaled, const roofcast::Graph& fixed, std::int64_t batch,
            const Bindings& given);

/// Makes `batch` the only size that the model can have.
void fix_batch(roofcast::Graph& graph, std::int64_t batch);

}  // namespace roofcast::onnx
