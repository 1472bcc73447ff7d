#pragma once
// The tables of an answer for people.

#include <vector>

#include "engine/decide/answer.hpp"
#include "engine/report/document.hpp"

namespace roofcast {

/// A row a configuration, the recommended one marked with '*'.
Table grid_table(const AnswerGroup& group, bool all);

/// The recommended configuration of each group, with its speed against the first.
Table comparison_table(const std::vector<AnswerGroup>& groups);

/// Memory by category at the recommended configuration, or at the smallest one if nothing fits.
Table memory_table(const AnswerGroup& group);

}  // namespace roofcast
