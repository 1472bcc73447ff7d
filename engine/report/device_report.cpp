#include "engine/report/device_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/report/cell_text.hpp"
#include "engine/report/device_facts.hpp"
#include "engine/report/json.hpp"
#include "engine/report/numbers.hpp"

namespace roofcast {
namespace {

// Data sheet figures are shown as they stand in the file, not rounded to three digits: 81,559 MiB is no
// 81,600.
std::string shown(const DeviceFact& fact) {
  const auto* number = std::get_if<double>(&fact.value);
  const std::string value = number != nullptr ? fmt::format("{:.6g}", *number) : cell_text(fact.value);
  return fact.unit.empty() || value.empty() ? value : value + " " + fact.unit;
}

Table fact_table(const Device& device) {
  Table table;
  table.columns = {{"fact", "fact"}, {"value", "value"}};
  for (const DeviceFact& fact : device_facts(device)) {
    if (std::string value = shown(fact); !value.empty())
      table.rows.push_back({{fact.title, std::move(value)}});
  }
  return table;
}

Table peak_table(const Device& device) {
  using enum Alignment;
  Table table{.title = "Dense peaks in Tera operations/s, a multiply-add counting 2"};
  table.columns = {{"arithmetic", "arithmetic", left},
                   {"derived", "derived", right},
                   {"quoted", "quoted", right},
                   {"", "remark", left}};
  for (const DevicePeak& peak : device_peaks(device)) {
    const auto* quoted = std::get_if<double>(&peak.quoted);
    table.rows.push_back(
        {{peak.title, three_digits(peak.derived), quoted != nullptr ? three_digits(*quoted) : std::string{},
          std::string(peak.unchecked ? "known to differ" : "")}});
  }
  table.footer.emplace_back("derived = rate per clock and SM x SMs x clock; predictions use these");
  return table;
}

List alias_list(const Device& device) {
  List list{.title = "Other names"};
  for (const std::string& alias : device.aliases) list.items.push_back(alias);
  for (const auto& [alias, sentence] : device.assumed_aliases)
    list.items.push_back(fmt::format("{}: {}", alias, sentence));
  return list;
}

double tera_or_zero(const Device& device, Arithmetic arithmetic) {
  return device.matrix_peak(arithmetic).value_or(FlopsPerSecond{}).value / 1e12;
}

}  // namespace

Document device_document(const Device& device) {
  Document document;
  document.blocks.emplace_back(Paragraph{fmt::format("{} ({})", device.name, device.slug), Emphasis::strong});
  document.blocks.emplace_back(fact_table(device));
  document.blocks.emplace_back(peak_table(device));
  if (List names = alias_list(device); !names.items.empty()) document.blocks.emplace_back(std::move(names));
  List sources{.title = "Sources"};
  for (const auto& [table, source] : device.sources)
    sources.items.push_back(fmt::format("{}: {}", table, source));
  document.blocks.emplace_back(std::move(sources));
  return document;
}

Document device_rows(const Device& device) {
  Table table;
  table.columns = {{"hw", "hw"}, {"fact", "fact"}, {"value", "value"}, {"unit", "unit"}};
  const auto unit = [](const std::string& text) { return text.empty() ? Cell{} : Cell{text}; };
  for (const DeviceFact& fact : device_facts(device)) {
    table.rows.push_back({{device.slug, fact.key, fact.value, unit(fact.unit)}});
  }
  for (const DevicePeak& peak : device_peaks(device)) {
    table.rows.push_back({{device.slug, "peak_" + peak.key, peak.derived, std::string("1e12/s")}});
    table.rows.push_back({{device.slug, "quoted_" + peak.key, peak.quoted, std::string("1e12/s")}});
  }
  return {.blocks = {std::move(table)}};
}

std::string device_json(const Device& device, std::string_view tool_version) {
  Json json = Json::object();
  json["schema_version"] = 1;
  json["tool_version"] = tool_version;
  json["slug"] = device.slug;
  json["name"] = device.name;
  json["aliases"] = device.aliases;
  json["assumed_aliases"] = device.assumed_aliases;
  Json facts = Json::object();
  for (const DeviceFact& fact : device_facts(device)) {
    facts[fact.key] = fact.unit.empty()
                          ? json_cell(fact.value)
                          : Json::object({{"value", json_cell(fact.value)}, {"unit", fact.unit}});
  }
  json["facts"] = std::move(facts);
  Json peaks = Json::array();
  for (const DevicePeak& peak : device_peaks(device)) {
    peaks.push_back(Json::object({{"arithmetic", peak.title},
                                  {"key", peak.key},
                                  {"derived_per_s", json_number(peak.derived * 1e12)},
                                  {"quoted_tera_per_s", json_cell(peak.quoted)},
                                  {"unchecked", peak.unchecked}}));
  }
  json["peaks"] = std::move(peaks);
  json["sources"] = device.sources;
  return dumped(json);
}

Document device_list(const std::vector<Device>& devices) {
  using enum Alignment;
  Table table;
  table.columns = {{"name", "hw", left},
                   {"architecture", "architecture", left},
                   {"usable\nGiB", "usable_gib", right},
                   {"bandwidth\nGB/s", "bandwidth_gbytes_per_s", right},
                   {"fp32\nTFLOP/s", "fp32_tflops", right},
                   {"fp16\nTFLOP/s", "fp16_matrix_tflops", right},
                   {"year", "launch_year", right}};
  for (const Device& device : devices) {
    const double fp16 = tera_or_zero(device, Arithmetic::tensor_fp16);
    table.rows.push_back(
        {{device.slug, device.architecture, three_digits(as_gibibytes(device.usable)),
          grouped(std::llround(device.bandwidth.value / 1e9)),
          three_digits(tera_or_zero(device, Arithmetic::vector_fp32)),
          fp16 > 0 ? three_digits(fp16) : std::string{}, std::to_string(device.launch_year)}});
  }
  table.footer.emplace_back(
      "fp16: matrix products with fp32 accumulation, on Tensor Cores where the card has them");
  table.footer.emplace_back("`simulate show hw NAME` prints a data sheet with its sources");
  return {.blocks = {std::move(table)}};
}

Document device_list_rows(const std::vector<Device>& devices) {
  Table table;
  for (const char* key :
       {"hw", "name", "architecture", "capacity_bytes", "usable_bytes", "bandwidth_bytes_per_s",
        "fp32_flops_per_s", "fp16_matrix_flops_per_s", "launch_year"}) {
    table.columns.push_back({.title = key, .key = key});
  }
  const auto rate = [](const std::optional<FlopsPerSecond>& peak) {
    return peak ? Cell{peak->value} : Cell{};
  };
  for (const Device& device : devices) {
    table.rows.push_back(
        {{device.slug, device.name, device.architecture, device.capacity.value, device.usable.value,
          device.bandwidth.value, rate(device.matrix_peak(Arithmetic::vector_fp32)),
          rate(device.matrix_peak(Arithmetic::tensor_fp16)), std::int64_t{device.launch_year}}});
  }
  return {.blocks = {std::move(table)}};
}

}  // namespace roofcast
