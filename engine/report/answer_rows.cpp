#include <fmt/format.h>

#include <set>

#include "engine/base/threads.hpp"
#include "engine/report/answer_report.hpp"

namespace roofcast {
namespace {

constexpr std::size_t rows_at_a_time = 1024;  // some milliseconds

Cell or_missing(const std::optional<double>& value) {
  return value ? Cell{*value} : Cell{};
}
Cell seconds(const std::optional<TimeRange>& range, Seconds TimeRange::*which) {
  return range ? Cell{((*range).*which).count()} : Cell{};
}
Cell text_or_missing(const std::string& text) {
  return text.empty() ? Cell{} : Cell{text};
}

std::string joined_symbols(const AnswerRow& row) {
  std::string text;
  for (const auto& [name, value] : row.symbols)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

// A column and how its cell is filled, side by side so that they cannot drift apart.
struct Field {
  std::string key{};
  Cell (*cell)(const AnswerRow&) = nullptr;
};

std::vector<Field> fields_before_memory() {
  return {
      {"hw", [](const AnswerRow& row) { return Cell{row.hw}; }},
      {"n_gpus", [](const AnswerRow& row) { return Cell{std::int64_t{row.n_gpus}}; }},
      {"model", [](const AnswerRow& row) { return Cell{row.model}; }},
      {"task",
       [](const AnswerRow& row) { return Cell{row.task == Task::training ? "training" : "inference"}; }},
      {"phase", [](const AnswerRow& row) { return text_or_missing(row.phase); }},
      {"precision", [](const AnswerRow& row) { return Cell{row.precision}; }},
      {"quantized", [](const AnswerRow& row) { return Cell{row.quantized}; }},
      {"runtime", [](const AnswerRow& row) { return text_or_missing(row.runtime); }},
      {"optimizer", [](const AnswerRow& row) { return text_or_missing(row.optimizer); }},
      {"batch", [](const AnswerRow& row) { return Cell{row.batch}; }},
      {"global_batch", [](const AnswerRow& row) { return Cell{row.global_batch}; }},
      {"symbols", [](const AnswerRow& row) { return text_or_missing(joined_symbols(row)); }},
      {"fits", [](const AnswerRow& row) { return Cell{std::string(to_string(row.memory.fits))}; }},
      {"latency_p10_s", [](const AnswerRow& row) { return seconds(row.latency, &TimeRange::p10); }},
      {"latency_p50_s", [](const AnswerRow& row) { return seconds(row.latency, &TimeRange::p50); }},
      {"latency_p90_s", [](const AnswerRow& row) { return seconds(row.latency, &TimeRange::p90); }},
      {"throughput", [](const AnswerRow& row) { return or_missing(row.throughput); }},
      {"throughput_unit", [](const AnswerRow& row) { return Cell{row.throughput_unit}; }},
      {"tokens_per_s", [](const AnswerRow& row) { return or_missing(row.tokens_per_second); }},
      {"memory_needed_bytes", [](const AnswerRow& row) { return Cell{row.memory.needed.value}; }},
      {"memory_reserved_bytes", [](const AnswerRow& row) { return Cell{row.memory.reserved.value}; }},
      {"memory_device_bytes", [](const AnswerRow& row) { return Cell{row.memory.device.value}; }},
      {"memory_usable_bytes", [](const AnswerRow& row) { return Cell{row.memory.usable.value}; }},
  };
}

std::vector<Field> fields_after_memory() {
  return {
      {"bound",
       [](const AnswerRow& row) { return row.bound ? Cell{std::string(to_string(*row.bound))} : Cell{}; }},
      {"bound_share", [](const AnswerRow& row) { return row.bound ? Cell{row.bound_share} : Cell{}; }},
      {"waiting_share", [](const AnswerRow& row) { return row.bound ? Cell{row.waiting_share} : Cell{}; }},
      {"price_usd_per_hour",
       [](const AnswerRow& row) { return row.price ? Cell{row.price->per_gpu.value} : Cell{}; }},
      {"price_cloud",
       [](const AnswerRow& row) { return row.price ? text_or_missing(row.price->cloud) : Cell{}; }},
      {"price_instance",
       [](const AnswerRow& row) { return row.price ? text_or_missing(row.price->instance) : Cell{}; }},
      {"price_date",
       [](const AnswerRow& row) { return row.price ? text_or_missing(row.price->as_of) : Cell{}; }},
      {"usd_per_million_samples",
       [](const AnswerRow& row) { return or_missing(row.usd_per_million_samples); }},
      {"usd_per_million_tokens", [](const AnswerRow& row) { return or_missing(row.usd_per_million_tokens); }},
      {"evidence", [](const AnswerRow& row) { return Cell{std::string(to_string(row.evidence))}; }},
      {"notes",
       [](const AnswerRow& row) { return text_or_missing(fmt::format("{}", fmt::join(row.notes, "; "))); }},
  };
}

// Symbols with several values have columns of their own.
std::set<std::string> listed_symbols(const Answer& answer) {
  std::set<std::string> names;
  for (const AnswerGroup& group : answer.groups) {
    for (const auto& [name, value] : group.listed) names.insert(name);
  }
  return names;
}

}  // namespace

Document answer_rows(const Answer& answer) {
  const std::vector<Field> before = fields_before_memory();
  const std::vector<Field> after = fields_after_memory();
  Table table;
  const auto add_column = [&](std::string key) {
    table.columns.push_back({.title = key, .key = std::move(key)});
  };
  for (const Field& field : before) add_column(field.key);
  for (std::size_t i = 0; i < memory_categories; ++i) {
    add_column(fmt::format("memory_{}_bytes", to_string(static_cast<MemoryCategory>(i))));
  }
  for (const Field& field : after) add_column(field.key);
  add_column("recommended");
  const std::set<std::string> listed = listed_symbols(answer);
  for (const std::string& name : listed) add_column("symbol_" + name);
  for (const AnswerGroup& group : answer.groups) {
    const std::size_t begin = table.rows.size();
    table.rows.resize(begin + group.rows.size());
    for_each_block(group.rows.size(), rows_at_a_time, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const AnswerRow& row = group.rows[i];
        std::vector<Cell>& cells = table.rows[begin + i].cells;
        cells.reserve(table.columns.size());
        for (const Field& field : before) cells.push_back(field.cell(row));
        for (const Bytes amount : row.memory.by_category) cells.emplace_back(amount.value);
        for (const Field& field : after) cells.push_back(field.cell(row));
        cells.emplace_back(group.recommended == i);
        for (const std::string& name : listed) {
          const auto value = row.symbols.find(name);
          cells.push_back(value != row.symbols.end() ? Cell{value->second} : Cell{});
        }
      }
    });
  }
  Document document;
  document.blocks.emplace_back(std::move(table));
  return document;
}

}  // namespace roofcast
