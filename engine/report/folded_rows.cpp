#include "engine/report/folded_rows.hpp"

#include <algorithm>
#include <set>

namespace roofcast {
namespace {

bool is_power_of_two(std::int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

// Adds what is worth showing of rows [first, last), which have one precision and ascending batches.
void add_precision(const std::vector<AnswerRow>& rows, std::size_t first, std::size_t last,
                   std::set<std::size_t>& shown) {
  double best = 0;
  for (std::size_t i = first; i < last; ++i) best = std::max(best, rows[i].throughput.value_or(0));
  std::size_t knee = last;
  std::size_t largest = last;
  std::size_t too_large = last;
  for (std::size_t i = first; i < last; ++i) {
    if (!rows[i].throughput) {
      if (too_large == last) too_large = i;
      continue;
    }
    if (knee == last && *rows[i].throughput >= 0.95 * best) knee = i;
    largest = i;
  }
  if (knee == last) {  // nothing fits: the smallest batch says by how much
    shown.insert(first);
    return;
  }
  for (std::size_t i = first; i <= knee; ++i) {
    if (is_power_of_two(rows[i].batch)) shown.insert(i);
  }
  shown.insert(knee);
  if (knee + 1 < last) shown.insert(knee + 1);
  shown.insert(largest);
  if (too_large < last) shown.insert(too_large);
}

}  // namespace

std::vector<std::size_t> folded_rows(const AnswerGroup& group) {
  std::set<std::size_t> shown;
  const std::vector<AnswerRow>& rows = group.rows;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    const auto same_curve = [&](const AnswerRow& row) {
      return row.precision == rows[first].precision && row.phase == rows[first].phase;
    };
    while (last < rows.size() && same_curve(rows[last])) ++last;
    add_precision(rows, first, last, shown);
    first = last;
  }
  if (group.recommended) shown.insert(*group.recommended);
  return {shown.begin(), shown.end()};
}

}  // namespace roofcast
