#pragma once
// Which batch sizes to look at, and the largest that fits.

#include <cstdint>
#include <vector>

#include "engine/predict.hpp"

namespace roofcast {

/// The largest batch whose memory fits with its reserve (`Fit::yes`); 0 if not even 1 does. Needed memory
/// grows with the batch. `bindings` has the other symbols.
Result<std::int64_t> largest_batch(Evaluator& evaluator, const Bindings& bindings);

/// 1, 2, 4, ... up to `largest`, and `largest` itself.
std::vector<std::int64_t> batch_grid(std::int64_t largest);

}  // namespace roofcast
