// Families of config.json against exact parameter counts. The reference data is no part of the project:
// without the folder ../shared these tests only say that they were skipped.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/decide/estimate.hpp"
#include "engine/io/import_config/import_config.hpp"
#include "engine/io/read_file.hpp"
#include "tests/corpus/csv_rows.hpp"

namespace roofcast {
namespace {

const std::string root = ROOFCAST_SOURCE_DIR;
const std::filesystem::path families = root + "/models/families";
const std::string configs = root + "/../shared/cases/model_configs";
const std::string corpus = root + "/../shared/corpus";

// What the families covered when this was written: fewer means that one is no longer found.
constexpr int least_configurations = 46;
constexpr int least_executed = 8;

Result<Graph> import(const std::string& path, const Bindings& symbols = {}) {
  const auto text = read_text(path);
  REQUIRE_MESSAGE(text, path);
  return import_config(*text, path, families, symbols);
}

// A model without a family, or that says in a note what it leaves out, is not compared.
bool supported(const Result<Graph>& graph) {
  if (graph) return graph->notes.empty();
  const std::string complaint = to_string(graph.error());
  return complaint.find("error: unknown model_type '") == std::string::npos &&
         complaint.find("error: unknown _class_name '") == std::string::npos;
}

TEST_CASE("families: parameters equal the exact counts of public configurations") {
  if (!std::filesystem::exists(configs)) {
    MESSAGE("skipped: there is no folder ../shared/cases/model_configs with configurations");
    return;
  }
  int compared = 0;
  int left_out = 0;
  for (const CsvRecord& row : read_csv(configs + "/index.csv")) {
    const std::string& file = row.at("file");
    CAPTURE(file);
    if (!file.ends_with(".json") || row.at("params_total").empty()) continue;
    const auto graph = import(configs + "/" + file);
    if (!supported(graph)) {
      ++left_out;
      continue;
    }
    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());

    const auto summary = summarize(*graph);

    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    REQUIRE(summary.has_value());
    CHECK(summary->parameters == std::stoll(row.at("params_total")));
    ++compared;
  }
  MESSAGE("compared ", compared, " configurations, ", left_out, " have no family or leave something out");
  CHECK(compared >= least_configurations);
}

/// Heads that transformers puts onto the encoder, by the class that a configuration names.
Bindings head_of(const std::string& source) {
  if (source.find("ForMaskedLM") != std::string::npos) return {{"masked_lm", 1}, {"pooler", 0}};
  if (source.find("ForSequenceClassification") != std::string::npos) return {{"labels", 2}};
  if (source.find("ForPreTraining") != std::string::npos) return {{"discriminator", 1}};
  return {};
}

TEST_CASE("families: parameters and multiply-adds equal those of executed models") {
  if (!std::filesystem::exists(corpus)) {
    MESSAGE("skipped: there is no folder ../shared/corpus with reference counts");
    return;
  }
  int compared = 0;
  for (const CsvRecord& row : read_csv(corpus + "/references.csv")) {
    const std::string path = fmt::format("{}/hf_configs/{}.json", corpus, row.at("model"));
    if (!std::filesystem::exists(path)) continue;
    CAPTURE(path);
    const Bindings head = head_of(row.at("source"));
    const auto graph = import(path, head);
    if (!supported(graph)) continue;
    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());
    const std::string& tokens = row.at("input_shapes");  // "1x128:int64|..."
    Bindings symbols = {{"batch", 1}, {"seq", std::stoll(tokens.substr(tokens.find('x') + 1))}};
    for (const auto& [name, value] : head) {  // not every family has every head
      if (std::ranges::find(graph->symbols, name, &Symbol::name) != graph->symbols.end())
        symbols[name] = value;
    }

    const auto summary = summarize(*graph, symbols);

    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    REQUIRE(summary.has_value());
    CHECK(summary->parameters == std::stoll(row.at("params")));
    CHECK(static_cast<double>(summary->macs) == std::stod(row.at("macs_per_sample")));
    ++compared;
  }
  MESSAGE("compared ", compared, " executed models");
  CHECK(compared >= least_executed);
}

}  // namespace
}  // namespace roofcast
