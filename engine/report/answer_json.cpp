#include "engine/report/answer_json.hpp"

#include "engine/report/answer_report.hpp"

namespace roofcast {
namespace {

Json latency_json(const std::optional<TimeRange>& latency) {
  if (!latency) return nullptr;
  return {{"p10", latency->p10.count()}, {"p50", latency->p50.count()}, {"p90", latency->p90.count()}};
}

Json price_json(const std::optional<Price>& price) {
  if (!price) return nullptr;
  return {{"usd_per_hour", price->per_gpu.value},
          {"cloud", price->cloud},
          {"instance", text_or_null(price->instance)},
          {"date", text_or_null(price->as_of)}};
}

Json categories_json(const MemoryPlan& plan) {
  Json categories = Json::object();
  for (std::size_t i = 0; i < memory_categories; ++i) {
    categories[std::string(to_string(static_cast<MemoryCategory>(i)))] =
        json_number(plan.by_category[i].value);
  }
  return categories;
}

}  // namespace

Json row_json(const AnswerRow& row, bool recommended) {
  Json symbols = Json::object();
  for (const auto& [name, value] : row.symbols) symbols[name] = value;
  Json json = Json::object();
  json["hw"] = row.hw;
  json["n_gpus"] = row.n_gpus;
  json["model"] = row.model;
  json["task"] = row.task == Task::training ? "training" : "inference";
  json["phase"] = row.phase;
  json["precision"] = row.precision;
  json["quantized"] = row.quantized;
  json["runtime"] = row.runtime;
  json["optimizer"] = text_or_null(row.optimizer);
  json["batch"] = row.batch;
  json["global_batch"] = row.global_batch;
  json["symbols"] = std::move(symbols);
  json["fits"] = to_string(row.memory.fits);
  json["latency_s"] = latency_json(row.latency);
  json["throughput"] = json_number(row.throughput);
  json["throughput_unit"] = row.throughput_unit;
  json["tokens_per_second"] = json_number(row.tokens_per_second);
  json["memory_bytes"] = {{"needed", json_number(row.memory.needed.value)},
                          {"reserved", json_number(row.memory.reserved.value)},
                          {"device", json_number(row.memory.device.value)},
                          {"usable", json_number(row.memory.usable.value)}};
  json["memory_by_category"] = categories_json(row.memory);
  json["bound"] = row.bound ? Json(to_string(*row.bound)) : Json(nullptr);
  json["bound_share"] = row.bound ? Json(row.bound_share) : Json(nullptr);
  json["waiting_share"] = row.bound ? Json(row.waiting_share) : Json(nullptr);
  json["price"] = price_json(row.price);
  json["usd_per_million_samples"] = json_number(row.usd_per_million_samples);
  json["usd_per_million_tokens"] = json_number(row.usd_per_million_tokens);
  json["evidence"] = to_string(row.evidence);
  json["recommended"] = recommended;
  json["notes"] = row.notes;
  return json;
}

std::string answer_json(const Answer& answer, std::string_view tool_version) {
  Json warnings = Json::array();
  for (const Warning& warning : answer.warnings)
    warnings.push_back({{"code", warning.code}, {"text", warning.text}});
  Json results = Json::array();
  for (const AnswerGroup& group : answer.groups) {
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
      results.push_back(row_json(group.rows[i], group.recommended == i));
    }
  }
  Json json = Json::object();
  json["schema_version"] = 1;
  json["tool_version"] = tool_version;
  json["inputs"] = json_object(answer.inputs);
  json["assumptions"] = answer.assumptions;
  json["warnings"] = std::move(warnings);
  json["results"] = std::move(results);
  return dumped(json);
}

}  // namespace roofcast
