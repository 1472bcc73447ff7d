#pragma once
// Answers made by hand.

#include "engine/decide/answer.hpp"

namespace roofcast {

/// `milliseconds` of 0 means that it does not fit.
inline AnswerRow toy_row(const std::string& precision, std::int64_t batch, double milliseconds) {
  AnswerRow row{.hw = "toy-8gb", .model = "net", .phase = "forward", .precision = precision};
  row.runtime = "eager";
  row.batch = batch;
  row.global_batch = batch;
  row.symbols = {{"batch", batch}, {"seq", 128}};
  row.memory.by_category[static_cast<std::size_t>(MemoryCategory::weights)] = gibibytes(1);
  row.memory.by_category[static_cast<std::size_t>(MemoryCategory::activations)] = gibibytes(3);
  row.memory.needed = gibibytes(4);
  row.memory.reserved = gibibytes(4.5);
  row.memory.device = gibibytes(5);
  row.memory.usable = gibibytes(7.5);
  if (milliseconds <= 0) {
    row.memory.needed = gibibytes(9);
    row.memory.fits = Fit::no;
    return row;
  }
  row.latency =
      TimeRange{Seconds{milliseconds / 2e3}, Seconds{milliseconds / 1e3}, Seconds{milliseconds / 0.5e3}};
  row.throughput = static_cast<double>(batch) / (milliseconds / 1e3);
  row.bound = Bound::compute;
  row.bound_share = 0.75;
  return row;
}

inline Answer toy_answer(std::vector<AnswerRow> rows, std::size_t recommended) {
  AnswerGroup group{.hw = "toy-8gb", .hw_name = "Toy", .model = "net"};
  group.rows = std::move(rows);
  group.recommended = recommended;
  group.verdict = "net on toy-8gb: fits";
  Answer answer{.inputs = {{"hw", "toy"}, {"model", "net"}}, .assumptions = {"one stream"}};
  answer.groups.push_back(std::move(group));
  return answer;
}

}  // namespace roofcast
