#pragma once
// Why the files with a model's weights may hold more or fewer values than the model has parameters.

#include <cstdint>
#include <string>

#include "engine/base/stored_weights.hpp"

namespace roofcast {

/// A sentence with the difference and what explains it, as far as names and types of tensors tell; empty if
/// there is none, or if the files' elements are not known. `statistics` are values that are stored and not
/// learned.
std::string weights_note(const StoredWeights& weights, std::int64_t parameters, std::int64_t statistics);

}  // namespace roofcast
