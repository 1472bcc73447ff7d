#include "engine/decide/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

namespace roofcast {
namespace {

enum class Weights : std::uint8_t { as_stored, exact, quantized };

Weights weights_of(const AnswerRow& row) {
  if (row.as_stored) return Weights::as_stored;
  return row.quantized ? Weights::quantized : Weights::exact;
}

// `candidates` are indices of rows, as is the result.
std::optional<std::size_t> best_of(const std::vector<AnswerRow>& rows,
                                   const std::vector<std::size_t>& candidates, Weights weights,
                                   double memory_to_use) {
  constexpr double good_enough = 0.95;
  const auto takes_part = [&](const AnswerRow& row) {
    return weights_of(row) == weights && row.latency && row.memory.fits == Fit::yes &&
           row.memory.needed <= row.memory.usable * memory_to_use;
  };
  double best = 0;
  for (const std::size_t i : candidates) {
    if (takes_part(rows[i])) best = std::max(best, *rows[i].throughput);
  }
  std::optional<std::size_t> chosen;
  for (const std::size_t i : candidates) {
    if (!takes_part(rows[i]) || *rows[i].throughput < good_enough * best) continue;
    const auto rank = [&](std::size_t row) { return std::tuple{rows[row].batch, -*rows[row].throughput}; };
    if (!chosen || rank(i) < rank(*chosen)) chosen = i;
  }
  return chosen;
}

// The same configuration in other phases.
std::vector<const AnswerRow*> other_phases(const std::vector<AnswerRow>& rows, const AnswerRow& row) {
  std::vector<const AnswerRow*> others;
  for (const AnswerRow& other : rows) {
    if (other.phase != row.phase && other.precision == row.precision && other.batch == row.batch)
      others.push_back(&other);
  }
  return others;
}

// 3 significant digits, thousands separated: 1234 is 1,230.
std::string number(double value) {
  constexpr double largest_plain = 999.5;
  if (value < largest_plain) return fmt::format("{:.3g}", value);
  double unit = 1;
  while (value / unit >= largest_plain) unit *= 10;
  std::string digits = fmt::format("{:.0f}", std::round(value / unit) * unit);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string price_of(const AnswerRow& row) {
  const std::string date = row.price->as_of.empty() ? std::string{} : fmt::format(", {}", row.price->as_of);
  return fmt::format("${:.2f} per GPU-hour ({}{})", row.price->per_gpu.value, row.price->cloud, date);
}

// "decode 1,000 tokens/s (500 to 2,000), 16 ms a batch, limited by memory (98% of the time), $0.4 per million
// tokens"
std::string phase_sentence(const AnswerRow& row) {
  const double tokens = *row.tokens_per_second * row.latency->p50.count();  // of the whole batch
  const auto per_second = [&](Seconds time) { return number(tokens / time.count()); };
  std::string text = fmt::format(
      "{} about {} tokens/s ({} to {}), {} ms a {}, {}", row.phase, per_second(row.latency->p50),
      per_second(row.latency->p90), per_second(row.latency->p10), number(as_milliseconds(row.latency->p50)),
      tokens > static_cast<double>(row.batch) ? "batch" : "token", limit_in_words(row));
  if (row.usd_per_million_tokens)
    text += fmt::format(", ${:.3g} per million tokens", *row.usd_per_million_tokens);
  return text;
}

// "bert", or "bert with seq 384" where there are groups with other values.
std::string name_of(const AnswerGroup& group) {
  return group.listed.empty() ? group.model : group.model + " with " + listed_values(group);
}

// For a model with phases, that of the recommended row first.
std::string verdict_of_phases(const AnswerGroup& group, const AnswerRow& row, const std::string& card) {
  const std::vector<const AnswerRow*> others = other_phases(group.rows, row);
  Bytes needed = row.memory.needed;
  for (const AnswerRow* other : others) needed = std::max(needed, other->memory.needed);
  std::string text = fmt::format("{} on {}, inference in {}, batch {}: fits ({:.1f} of {:.1f} GiB); {}",
                                 name_of(group), card, row.precision, row.batch, as_gibibytes(needed),
                                 as_gibibytes(row.memory.usable), phase_sentence(row));
  for (const AnswerRow* other : others) {
    if (other->latency && other->tokens_per_second) text += "; " + phase_sentence(*other);
  }
  if (row.price) text += fmt::format("; at {}", price_of(row));
  return text + ".";
}

std::optional<std::size_t> recommended_of(const std::vector<AnswerRow>& rows,
                                          const std::vector<std::size_t>& candidates) {
  constexpr double with_room = 0.9;
  for (const Weights weights : {Weights::as_stored, Weights::exact, Weights::quantized}) {
    for (const double memory_to_use : {with_room, 1.0}) {
      if (const auto row = best_of(rows, candidates, weights, memory_to_use)) return row;
    }
  }
  return std::nullopt;
}

using Configuration = std::pair<std::string_view, std::int64_t>;  // precision, batch

// Those that do not fit in one phase or another.
std::set<Configuration> too_large(const std::vector<AnswerRow>& rows) {
  std::set<Configuration> found;
  for (const AnswerRow& row : rows) {
    if (row.memory.fits == Fit::no) found.emplace(row.precision, row.batch);
  }
  return found;
}

}  // namespace

std::optional<std::size_t> recommended_row(const std::vector<AnswerRow>& rows) {
  std::vector<std::size_t> candidates(rows.size());
  std::iota(candidates.begin(), candidates.end(), std::size_t{0});
  return recommended_of(rows, candidates);
}

std::optional<std::size_t> recommended_row(const std::vector<AnswerRow>& rows, std::string_view phase) {
  if (std::ranges::all_of(rows, [&](const AnswerRow& row) { return row.phase == phase; })) {
    return recommended_row(rows);
  }
  const std::set<Configuration> excluded = too_large(rows);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].phase == phase && !excluded.contains({rows[i].precision, rows[i].batch}))
      candidates.push_back(i);
  }
  return recommended_of(rows, candidates);
}

std::string listed_values(const AnswerGroup& group) {
  std::string text;
  for (const auto& [name, value] : group.listed)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

const AnswerRow* smallest_row(const std::vector<AnswerRow>& rows) {
  const AnswerRow* smallest = nullptr;
  for (const AnswerRow& row : rows) {
    if (smallest != nullptr && row.memory.needed >= smallest->memory.needed) continue;
    const bool needs_most = std::ranges::none_of(other_phases(rows, row), [&](const AnswerRow* other) {
      return other->memory.needed > row.memory.needed;
    });
    if (needs_most) smallest = &row;
  }
  return smallest;
}

std::string limit_in_words(const AnswerRow& row) {
  if (row.bound == Bound::launch && row.waiting_share > row.bound_share / 2) {
    return fmt::format("limited by the host: kernels wait for their launches {:.0f}% of the time",
                       100.0 * row.waiting_share);
  }
  if (row.bound == Bound::input)
    return fmt::format("limited by the supply of inputs ({:.0f}% of the time)", 100.0 * row.bound_share);
  return fmt::format("limited by {} ({:.0f}% of the time)", to_string(*row.bound), 100.0 * row.bound_share);
}

std::string verdict(const AnswerGroup& group) {
  const std::string card = fmt::format("{} ({})", group.hw_name, group.hw);
  if (group.rows.empty()) return fmt::format("{} on {}: nothing to report.", name_of(group), card);
  if (!group.recommended) {
    const AnswerRow& row = *smallest_row(group.rows);
    const bool tight = row.latency.has_value();
    const std::string phase = is_serving_phase(row) ? fmt::format(" ({})", row.phase) : std::string{};
    return fmt::format("{} on {}, {}{}: {} even at {}, batch {}, which needs {:.1f} of {:.1f} GiB.",
                       name_of(group), card, row.task == Task::training ? "training" : "inference", phase,
                       tight ? "fits only just if at all," : "does not fit,", row.precision, row.batch,
                       as_gibibytes(row.memory.needed), as_gibibytes(row.memory.usable));
  }
  const AnswerRow& row = group.rows[*group.recommended];
  if (is_serving_phase(row) && row.tokens_per_second) return verdict_of_phases(group, row, card);
  const double batch = static_cast<double>(row.batch);
  std::string text = fmt::format(
      "{} on {}, {} in {}, batch {}: fits ({:.1f} of {:.1f} GiB), about {} samples/s ({} to {}), {} ms a "
      "{}, {}",
      name_of(group), card, row.task == Task::training ? "training" : "inference", row.precision, row.batch,
      as_gibibytes(row.memory.needed), as_gibibytes(row.memory.usable), number(*row.throughput),
      number(batch / row.latency->p90.count()), number(batch / row.latency->p10.count()),
      number(as_milliseconds(row.latency->p50)), row.task == Task::training ? "step" : "batch",
      limit_in_words(row));
  if (row.usd_per_million_samples)
    text += fmt::format(", ${:.3g} per million samples at {}", *row.usd_per_million_samples, price_of(row));
  return text + ".";
}

}  // namespace roofcast
