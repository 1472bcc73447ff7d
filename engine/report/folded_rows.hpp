#pragma once
// Which rows of a grid are worth showing.

#include <vector>

#include "engine/decide/answer.hpp"

namespace roofcast {

/// Indices of the rows to show, ascending. For each precision: powers of two up to the knee (the smallest
/// batch within 5% of that precision's best throughput), the batch after it, the largest that fits and the
/// smallest that does not; and the recommended row.
std::vector<std::size_t> folded_rows(const AnswerGroup& group);

}  // namespace roofcast
