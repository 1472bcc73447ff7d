#pragma once
// Which of the rows to take.

#include <optional>
#include <string_view>
#include <vector>

#include "engine/decide/answer.hpp"

namespace roofcast {

/// The smallest batch within 5% of the best throughput, among rows that fit with a tenth of the memory to
/// spare; of equal batches the fastest. Rows whose weights are quantised take part only if there are no
/// others: whether the model stays good enough is not known here. Not so if the model's file stores them like
/// that: then these rows go first. Where no row has that much to spare, all
/// rows that fit do.
std::optional<std::size_t> recommended_row(const std::vector<AnswerRow>& rows);

/// The same among the rows of `phase`, if the configuration fits in the other phases too.
std::optional<std::size_t> recommended_row(const std::vector<AnswerRow>& rows, std::string_view phase);

/// The row of the configuration that needs least memory, in the phase in which it needs most. Null without
/// rows.
const AnswerRow* smallest_row(const std::vector<AnswerRow>& rows);

/// The symbols that tell the group from others: "layers 6, seq 384".
std::string listed_values(const AnswerGroup& group);

/// What takes most of a row's time, in words: "limited by memory (61% of the time)". Of a row that waits for
/// its launches, that the host is the limit; of one that waits for inputs, that they are.
std::string limit_in_words(const AnswerRow& row);

/// A sentence for the recommended row and what it gives in the other phases, or why there is none.
std::string verdict(const AnswerGroup& group);

}  // namespace roofcast
