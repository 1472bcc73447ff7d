#pragma once
// Tensors of one or more files -> their sums.

#include <string>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/stored_weights.hpp"

namespace roofcast {

/// Sums over `tensors`. Sums beyond 64 bits are an error of the first file.
Result<StoredWeights> with_totals(std::string format, std::vector<StoredTensor> tensors,
                                  std::vector<std::string> files);

/// The product of the dimensions, 1 for a scalar; nothing for a negative dimension or beyond 64 bits.
std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& shape);

}  // namespace roofcast
