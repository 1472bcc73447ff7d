#include "engine/report/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/report/json.hpp"
#include "engine/report/numbers.hpp"

namespace roofcast {
namespace {

using Counts = std::map<std::string, std::int64_t>;

std::string signed_percent(const std::optional<double>& share) {
  if (!share) return "-";
  const double points = std::round(*share * 100);
  return points == 0 ? "0%" : fmt::format("{:+.0f}%", points);
}

std::string percent_or_dash(const std::optional<double>& share) {
  return share ? percent(*share) : "-";
}

// The most frequent first.
std::vector<std::pair<std::string, std::int64_t>> by_count(const Counts& counts) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater{}, &std::pair<std::string, std::int64_t>::second);
  return sorted;
}

std::int64_t sum_of(const Counts& counts) {
  std::int64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

std::string list_of(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : by_count(counts))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, grouped(count));
  return text;
}

std::string headline(const Validation& validation) {
  const Score& total = validation.scores.total;
  if (total.rows == 0) return "No rows to compare.";
  return fmt::format("{} measured, {} of them without a prediction: median error {}, nine of ten within {}.",
                     counted(total.rows, "row"), grouped(total.unpredicted_rows()),
                     percent(total.errors.median), percent(total.errors.p90));
}

Row table_row(const std::vector<std::string>& key, const Score& score, bool baseline) {
  Row row;
  for (const std::string& part : key) row.cells.emplace_back(part.empty() ? "-" : part);
  const std::int64_t missing = score.unpredicted_rows();
  row.cells.insert(row.cells.end(), {grouped(score.rows), missing == 0 ? std::string{} : grouped(missing),
                                     percent(score.errors.median), percent(score.errors.mean),
                                     signed_percent(score.errors.bias), percent(score.errors.p90),
                                     percent_or_dash(score.inside_range), percent_or_dash(score.half_width)});
  if (baseline) row.cells.emplace_back(score.baseline ? percent(score.baseline->median) : "-");
  return row;
}

Table score_table(const Validation& validation) {
  using enum Alignment;
  const bool baseline = !validation.baseline.empty();
  Table table;
  for (const ScoreAxis axis : validation.scores.axes) {
    table.columns.push_back({std::string(to_string(axis)), std::string(to_string(axis)), left});
  }
  const std::vector<Column> columns = {{"rows", "rows", right},
                                       {"not pre-\ndicted", "unpredicted", right},
                                       {"median\nerror", "median_error", right},
                                       {"mean\nerror", "mean_error", right},
                                       {"bias", "bias", right},
                                       {"90%\nwithin", "p90_error", right},
                                       {"inside\nrange", "inside_range", right},
                                       {"half\nwidth", "half_width", right}};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  if (baseline) table.columns.push_back({validation.baseline + "\nmedian", "baseline_median_error", right});
  for (const ScoredGroup& group : validation.scores.groups)
    table.rows.push_back(table_row(group.key, group.score, baseline));
  std::vector<std::string> all(validation.scores.axes.size());
  if (!all.empty()) all.front() = "all";
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = " ";
  table.rows.push_back(table_row(all, validation.scores.total, baseline));
  table.rows.back().emphasis = Emphasis::strong;
  table.footer = {
      "error: |predicted / measured - 1|; a row without a prediction counts as 100%",
      "bias: median of predicted / measured - 1; + means predicted too slow",
      "inside range: share of predicted rows with measured time from p10 to p90; half width: median "
      "of (p90 - p10) / (2 p50)"};
  return table;
}

List unpredicted_list(const Score& total) {
  List list{.title = "Not predicted"};
  for (const auto& [reason, count] : by_count(total.unpredicted))
    list.items.push_back(fmt::format("{}: {}", reason, counted(count, "row")));
  return list;
}

List left_out_list(const Validation& validation) {
  List list{.title = "Left out"};
  for (const ComparedTable& table : validation.tables) {
    if (!table.note.empty()) list.items.push_back(fmt::format("{}: {}", table.file, table.note));
    if (table.left_out.empty()) continue;
    list.items.push_back(fmt::format("{}: {} of {}: {}", table.file, grouped(sum_of(table.left_out)),
                                     counted(sum_of(table.left_out) + table.rows, "row"),
                                     list_of(table.left_out)));
  }
  return list;
}

Cell number_or_missing(const std::optional<double>& value) {
  return value ? Cell{*value} : Cell{};
}

Cell text_or_missing(std::string text) {
  return text.empty() ? Cell{} : Cell{std::move(text)};
}

Row group_row(const std::vector<std::string>& key, const Score& score) {
  Row row;
  for (const std::string& part : key) row.cells.push_back(text_or_missing(part));
  const auto& baseline = score.baseline;
  row.cells.insert(
      row.cells.end(),
      {Cell{score.rows}, Cell{score.unpredicted_rows()}, Cell{score.errors.median}, Cell{score.errors.mean},
       number_or_missing(score.errors.bias), Cell{score.errors.p90}, number_or_missing(score.inside_range),
       number_or_missing(score.half_width), baseline ? Cell{baseline->median} : Cell{},
       baseline ? Cell{baseline->p90} : Cell{}, text_or_missing(list_of(score.unpredicted))});
  return row;
}

Json counts_json(const Counts& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

void add_errors(Json& json, const Errors& errors) {
  json["median_error"] = json_number(errors.median);
  json["mean_error"] = json_number(errors.mean);
  json["bias"] = json_number(errors.bias);
  json["p90_error"] = json_number(errors.p90);
}

void add_score(Json& json, const Score& score) {
  json["rows"] = score.rows;
  json["unpredicted"] = counts_json(score.unpredicted);
  add_errors(json, score.errors);
  json["inside_range"] = json_number(score.inside_range);
  json["half_width"] = json_number(score.half_width);
  json["baseline"] = nullptr;
  if (score.baseline) {
    json["baseline"] = Json::object();
    add_errors(json["baseline"], *score.baseline);
  }
}

}  // namespace

Document validation_document(const Validation& validation) {
  Document document;
  document.blocks.emplace_back(Paragraph{headline(validation), Emphasis::strong});
  if (validation.scores.total.rows > 0) document.blocks.emplace_back(score_table(validation));
  if (List list = unpredicted_list(validation.scores.total); !list.items.empty())
    document.blocks.emplace_back(std::move(list));
  if (List list = left_out_list(validation); !list.items.empty())
    document.blocks.emplace_back(std::move(list));
  return document;
}

Document validation_groups(const Validation& validation) {
  Table table;
  for (const ScoreAxis axis : validation.scores.axes) {
    table.columns.push_back({.title = std::string(to_string(axis)), .key = std::string(to_string(axis))});
  }
  for (const char* key :
       {"rows", "unpredicted", "median_error", "mean_error", "bias", "p90_error", "inside_range",
        "half_width", "baseline_median_error", "baseline_p90_error", "unpredicted_reasons"}) {
    table.columns.push_back({.title = key, .key = key});
  }
  for (const ScoredGroup& group : validation.scores.groups)
    table.rows.push_back(group_row(group.key, group.score));
  const std::vector<std::string> no_key(validation.scores.axes.size());
  table.rows.push_back(group_row(no_key, validation.scores.total));
  return {.blocks = {std::move(table)}};
}

Document validation_rows(std::span<const MeasuredRow> rows, std::span<const Outcome> outcomes,
                         std::span<const FittedOn> provenance) {
  Table table;
  for (const char* key :
       {"file",  "line",  "source", "hw",           "device",     "kernel",      "precision",
        "task",  "model", "group",  "runtime",      "seen",       "measured_s",  "p10_s",
        "p50_s", "p90_s", "error",  "inside_range", "baseline_s", "unpredicted", "detail"}) {
    table.columns.push_back({.title = key, .key = key});
  }
  table.rows.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MeasuredRow& row = rows[i];
    const Outcome& outcome = outcomes[i];
    const auto time = [&](Seconds TimeRange::*part) {
      return outcome.time ? Cell{((*outcome.time).*part).count()} : Cell{};
    };
    const Unpredicted missing = outcome.time ? Unpredicted{} : outcome.time.error();
    table.rows.push_back({{row.where.file,
                           std::int64_t{row.where.line},
                           row.source,
                           row.hardware,
                           text_or_missing(row.device),
                           std::string(kernel_kind(row)),
                           precision_name(row),
                           std::string(task_name(row)),
                           text_or_missing(std::string(model_name(row))),
                           row.group,
                           text_or_missing(row.runtime),
                           took_part(row, provenance),
                           row.measured.count(),
                           time(&TimeRange::p10),
                           time(&TimeRange::p50),
                           time(&TimeRange::p90),
                           number_or_missing(relative_error(row, outcome)),
                           outcome.time ? Cell{is_inside(row, outcome)} : Cell{},
                           outcome.baseline ? Cell{outcome.baseline->count()} : Cell{},
                           text_or_missing(missing.reason),
                           text_or_missing(missing.detail)}});
  }
  return {.blocks = {std::move(table)}};
}

std::string validation_json(const Validation& validation, std::string_view tool_version) {
  Json json = Json::object();
  json["schema_version"] = 1;
  json["tool_version"] = tool_version;
  json["measured"] = validation.measured;
  json["operator_runtime"] = validation.runtime;
  json["baseline"] = text_or_null(validation.baseline);
  Json& axes = json["by"] = Json::array();
  for (const ScoreAxis axis : validation.scores.axes) axes.push_back(to_string(axis));
  Json& groups = json["groups"] = Json::array();
  for (const ScoredGroup& scored : validation.scores.groups) {
    Json group = Json::object();
    Json& key = group["key"] = Json::object();
    for (std::size_t i = 0; i < scored.key.size(); ++i)
      key[std::string(to_string(validation.scores.axes[i]))] = text_or_null(scored.key[i]);
    add_score(group, scored.score);
    groups.push_back(std::move(group));
  }
  json["total"] = Json::object();
  if (validation.scores.total.rows > 0) add_score(json["total"], validation.scores.total);
  Json& tables = json["tables"] = Json::array();
  for (const ComparedTable& table : validation.tables) {
    tables.push_back(Json::object({{"file", table.file},
                                   {"rows", table.rows},
                                   {"left_out", counts_json(table.left_out)},
                                   {"note", text_or_null(table.note)}}));
  }
  return dumped(json);
}

}  // namespace roofcast
