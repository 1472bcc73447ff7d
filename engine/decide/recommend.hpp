#pragma once
// Which of the rows to take.

#include <optional>
#include <vector>

#include "engine/decide/answer.hpp"

namespace roofcast {

/// The smallest batch within 5% of the best throughput, among rows that fit with a tenth of the memory to
/// spare; of equal batches the fastest. Rows whose weights are quantised take part only if there are no
/// others: whether the model stays good enough is not known here. Where no row has that much to spare, all
/// rows that fit do.
std::optional<std::size_t> recommended_row(const std::vector<AnswerRow>& rows);

/// One sentence for the recommended row, or why there is none.
std::string verdict(const AnswerGroup& group);

}  // namespace roofcast
