#include "engine/report/summary_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "engine/report/json.hpp"
#include "engine/report/numbers.hpp"

namespace roofcast {
namespace {

struct Count {
  std::string_view title{};
  std::string_view key{};
  std::int64_t ModelSummary::*value = nullptr;
};

constexpr std::array<Count, 9> counts = {{
    {"parameters", "parameters", &ModelSummary::parameters},
    {"of which one token needs", "parameters_active", &ModelSummary::parameters_active},
    {"stored statistics", "statistics", &ModelSummary::statistics},
    {"stored elements", "initializer_elements", &ModelSummary::initializer_elements},
    {"MACs", "macs", &ModelSummary::macs},
    {"FLOPs (2 x MACs)", "flops", &ModelSummary::flops},
    {"other operations", "other_operations", &ModelSummary::other_operations},
    {"activation elements", "activation_elements", &ModelSummary::activation_elements},
    {"operators executed", "nodes", &ModelSummary::nodes},
}};

constexpr std::size_t most_tensors_shown = 40;

std::string shape_text(const StoredTensor& tensor) {
  return tensor.shape.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.shape, " x "));
}

Table weights_table(const StoredWeights& weights) {
  Table table{.title = fmt::format("Stored weights: {}, {}", weights.format,
                                   counted(static_cast<std::int64_t>(weights.files.size()), "file"))};
  table.columns = {{"dtype", "dtype", Alignment::left}, {"bytes", "bytes", Alignment::right}};
  for (const auto& [dtype, bytes] : weights.bytes_by_dtype) table.rows.push_back({{dtype, grouped(bytes)}});
  table.rows.push_back({{"all", grouped(weights.bytes)}});
  if (weights.elements) table.footer.push_back(fmt::format("{} elements", grouped(*weights.elements)));
  return table;
}

// For files without a model: what else there is to see.
Table tensors_table(const StoredWeights& weights) {
  Table table;
  table.columns = {{"tensor", "tensor", Alignment::left},
                   {"dtype", "dtype", Alignment::left},
                   {"shape", "shape", Alignment::right},
                   {"bytes", "bytes", Alignment::right}};
  const std::size_t shown = std::min(weights.tensors.size(), most_tensors_shown);
  for (const StoredTensor& tensor : std::span(weights.tensors).first(shown)) {
    table.rows.push_back({{tensor.name, tensor.dtype, shape_text(tensor), grouped(tensor.bytes)}});
  }
  if (shown < weights.tensors.size()) {
    table.footer.push_back(fmt::format(
        "{} more: --json", counted(static_cast<std::int64_t>(weights.tensors.size() - shown), "tensor")));
  }
  return table;
}

Document weights_document(const ModelSummary& summary) {
  const StoredWeights& weights = *summary.weights;
  Document document;
  document.blocks.emplace_back(Paragraph{
      fmt::format("{}: {}bytes of weights", summary.name, with_prefix(static_cast<double>(weights.bytes))),
      Emphasis::strong});
  document.blocks.emplace_back(weights_table(weights));
  if (!weights.tensors.empty()) document.blocks.emplace_back(tensors_table(weights));
  if (!summary.notes.empty()) document.blocks.emplace_back(List{"Notes", summary.notes});
  return document;
}

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

void add_weights(Json& json, const ModelSummary& summary) {
  const auto& weights = summary.weights;
  json["weight_bytes"] = weights ? Json(weights->bytes) : Json(nullptr);
  json["weight_format"] = weights ? Json(weights->format) : Json(nullptr);
  if (!weights) return;
  json["weight_elements"] = weights->elements ? Json(*weights->elements) : Json(nullptr);
  json["weight_bytes_by_dtype"] = integers_json(weights->bytes_by_dtype);
  json["weight_files"] = weights->files;
  if (!summary.weights_only) return;
  Json& tensors = json["weight_tensors"] = Json::array();
  for (const StoredTensor& tensor : weights->tensors) {
    tensors.push_back(Json::object(
        {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"bytes", tensor.bytes}}));
  }
}

}  // namespace

Document summary_document(const ModelSummary& summary) {
  if (summary.weights_only) return weights_document(summary);
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
  if (summary.weights) document.blocks.emplace_back(weights_table(*summary.weights));
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
    row.cells.emplace_back(summary.weights_only ? Cell{} : Cell{summary.*count.value});
  }
  table.columns.push_back({.title = "stored weight bytes", .key = "weight_bytes"});
  table.columns.push_back({.title = "weight format", .key = "weight_format"});
  row.cells.emplace_back(summary.weights ? Cell{summary.weights->bytes} : Cell{});
  row.cells.emplace_back(summary.weights ? Cell{summary.weights->format} : Cell{});
  table.rows.push_back(std::move(row));
  return {.blocks = {std::move(table)}};
}

std::string summary_json(const ModelSummary& summary, std::string_view tool_version) {
  Json json = Json::object();
  json["schema_version"] = 1;
  json["tool_version"] = tool_version;
  json["name"] = summary.name;
  json["file"] = summary.file;
  for (const Count& count : counts) {
    json[std::string(count.key)] = summary.weights_only ? Json(nullptr) : Json(summary.*count.value);
  }
  add_weights(json, summary);
  json["symbols"] = integers_json(summary.symbols);
  json["inputs"] = tensors_json(summary.inputs);
  json["outputs"] = tensors_json(summary.outputs);
  json["operators"] = integers_json(summary.operators);
  json["notes"] = summary.notes;
  return dumped(json);
}

}  // namespace roofcast
