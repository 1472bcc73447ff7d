#include "engine/report/summary_report.hpp"

#include <fmt/format.h>

#include <array>

#include "engine/report/json.hpp"
#include "engine/report/numbers.hpp"

namespace roofcast {
namespace {

struct Count {
  std::string_view title{};
  std::string_view key{};
  std::int64_t ModelSummary::*value = nullptr;
};

constexpr std::array<Count, 8> counts = {{
    {"parameters", "parameters", &ModelSummary::parameters},
    {"of which one token needs", "parameters_active", &ModelSummary::parameters_active},
    {"stored statistics", "statistics", &ModelSummary::statistics},
    {"MACs", "macs", &ModelSummary::macs},
    {"FLOPs (2 x MACs)", "flops", &ModelSummary::flops},
    {"other operations", "other_operations", &ModelSummary::other_operations},
    {"activation elements", "activation_elements", &ModelSummary::activation_elements},
    {"operators executed", "nodes", &ModelSummary::nodes},
}};

List tensor_list(std::string title, const std::vector<std::pair<std::string, std::string>>& tensors) {
  List list{.title = std::move(title)};
  for (const auto& [name, type] : tensors) list.items.push_back(fmt::format("{}: {}", name, type));
  return list;
}

Json integers_json(const std::vector<std::pair<std::string, std::int64_t>>& pairs) {
  Json object = Json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

Json tensors_json(const std::vector<std::pair<std::string, std::string>>& tensors) {
  Json list = Json::array();
  for (const auto& [name, type] : tensors) list.push_back(Json::object({{"name", name}, {"type", type}}));
  return list;
}

}  // namespace

Document summary_document(const ModelSummary& summary) {
  std::string bound;
  for (const auto& [name, value] : summary.symbols) {
    bound += fmt::format("{}{} = {}", bound.empty() ? " with " : ", ", name, value);
  }
  Document document;
  document.blocks.emplace_back(
      Paragraph{fmt::format("{}: {} parameters, {} MACs in a forward pass{}", summary.name,
                            with_prefix(static_cast<double>(summary.parameters)),
                            with_prefix(static_cast<double>(summary.macs)), bound),
                Emphasis::strong});
  Table table{.title = summary.file};
  table.columns = {{"count", "count", Alignment::left}, {"value", "value", Alignment::right}};
  for (const Count& count : counts) {
    const bool dense =
        count.value == &ModelSummary::parameters_active && summary.parameters_active == summary.parameters;
    if (!dense) table.rows.push_back({{std::string(count.title), grouped(summary.*count.value)}});
  }
  document.blocks.emplace_back(std::move(table));
  if (!summary.operators.empty()) {
    Table operators;
    operators.columns = {{"operator", "operator", Alignment::left}, {"times", "times", Alignment::right}};
    for (const auto& [name, times] : summary.operators) operators.rows.push_back({{name, grouped(times)}});
    document.blocks.emplace_back(std::move(operators));
  }
  if (!summary.inputs.empty()) document.blocks.emplace_back(tensor_list("Inputs", summary.inputs));
  if (!summary.outputs.empty()) document.blocks.emplace_back(tensor_list("Outputs", summary.outputs));
  if (!summary.notes.empty()) document.blocks.emplace_back(List{"Notes", summary.notes});
  return document;
}

Document summary_rows(const ModelSummary& summary) {
  Table table;
  Row row;
  table.columns.push_back({.title = "name", .key = "name"});
  row.cells.emplace_back(summary.name);
  for (const Count& count : counts) {
    table.columns.push_back({.title = std::string(count.title), .key = std::string(count.key)});
    row.cells.emplace_back(summary.*count.value);
  }
  table.rows.push_back(std::move(row));
  return {.blocks = {std::move(table)}};
}

std::string summary_json(const ModelSummary& summary, std::string_view tool_version) {
  Json json = Json::object();
  json["schema_version"] = 1;
  json["tool_version"] = tool_version;
  json["name"] = summary.name;
  json["file"] = summary.file;
  for (const Count& count : counts) json[std::string(count.key)] = summary.*count.value;
  json["symbols"] = integers_json(summary.symbols);
  json["inputs"] = tensors_json(summary.inputs);
  json["outputs"] = tensors_json(summary.outputs);
  json["operators"] = integers_json(summary.operators);
  json["notes"] = summary.notes;
  return dumped(json);
}

}  // namespace roofcast
