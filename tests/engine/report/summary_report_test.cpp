#include "engine/report/summary_report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "engine/report/csv.hpp"
#include "engine/report/table.hpp"

namespace roofcast {
namespace {

ModelSummary toy_summary() {
  ModelSummary summary{.name = "net", .file = "net.toml", .parameters = 1500, .parameters_active = 1500};
  summary.macs = 2'000'000;
  summary.flops = 4'000'000;
  summary.nodes = 3;
  summary.symbols = {{"batch", 8}};
  summary.inputs = {{"x", "8x4:fp32"}};
  summary.operators = {{"linear", 2}, {"relu", 1}};
  return summary;
}

TEST_CASE("summary_document: one sentence, then the counts in full") {
  const std::string text = write_table(summary_document(toy_summary()));

  CHECK(text.starts_with("net: 1.50 k parameters, 2.00 M MACs in a forward pass with batch = 8\n"));
  CHECK(text.find("MACs                 2,000,000\n") != std::string::npos);
  CHECK(text.find("- x: 8x4:fp32\n") != std::string::npos);
}

TEST_CASE("summary_document: what a token needs, if that is less") {
  ModelSummary mixture = toy_summary();
  mixture.parameters_active = 700;

  CHECK(write_table(summary_document(toy_summary())).find("one token") == std::string::npos);
  CHECK(write_table(summary_document(mixture)).find("of which one token needs        700\n") !=
        std::string::npos);
}

TEST_CASE("summary_json: whole numbers under stable keys") {
  const auto json = nlohmann::json::parse(summary_json(toy_summary(), "1"));

  CHECK(json["parameters"] == 1500);
  CHECK(json["parameters_active"] == 1500);
  CHECK(json["macs"] == 2'000'000);
  CHECK(json["flops"] == 4'000'000);
  CHECK(json["activation_elements"] == 0);
  CHECK(json["nodes"] == 3);
  CHECK(json["symbols"]["batch"] == 8);
  CHECK(json["operators"]["linear"] == 2);
  CHECK(json["inputs"][0]["type"] == "8x4:fp32");
}

StoredWeights toy_weights() {
  return {.format = "safetensors",
          .tensors = {{.name = "w", .dtype = "BF16", .shape = {30, 50}, .elements = 1500, .bytes = 3000}},
          .bytes = 3000,
          .elements = 1500,
          .bytes_by_dtype = {{"BF16", 3000}},
          .files = {"m.safetensors"}};
}

TEST_CASE("summary: stored weights by type, and under keys of their own") {
  ModelSummary summary = toy_summary();
  CHECK(nlohmann::json::parse(summary_json(summary, "1"))["weight_bytes"].is_null());
  summary.weights = toy_weights();

  const auto json = nlohmann::json::parse(summary_json(summary, "1"));
  CHECK(json["weight_bytes"] == 3000);
  CHECK(json["weight_format"] == "safetensors");
  CHECK(json["weight_elements"] == 1500);
  CHECK(json["weight_bytes_by_dtype"]["BF16"] == 3000);
  CHECK(json["weight_files"][0] == "m.safetensors");
  CHECK_FALSE(json.contains("weight_tensors"));
  const std::string text = write_table(summary_document(summary));
  CHECK(text.find("Stored weights: safetensors, 1 file\n") != std::string::npos);
  CHECK(text.find("BF16   3,000\n") != std::string::npos);
  CHECK(write_csv(summary_rows(summary)).ends_with(",3000,safetensors\n"));
}

TEST_CASE("summary: weights without a model have no counts, but tensors") {
  const ModelSummary summary{
      .name = "net", .file = "m.safetensors", .weights = toy_weights(), .weights_only = true};

  const auto json = nlohmann::json::parse(summary_json(summary, "1"));
  CHECK(json["parameters"].is_null());
  CHECK(json["weight_tensors"][0]["shape"] == nlohmann::json::array({30, 50}));
  const std::string text = write_table(summary_document(summary));
  CHECK(text.starts_with("net: 3.00 kbytes of weights\n"));
  CHECK(text.find("w       BF16   30 x 50  3,000\n") != std::string::npos);
}

TEST_CASE("summary_rows: one row") {
  CHECK(write_csv(summary_rows(toy_summary())) ==
        "name,parameters,parameters_active,statistics,initializer_elements,macs,flops,other_operations,"
        "activation_elements,nodes,"
        "weight_bytes,weight_format\n"
        "net,1500,1500,0,0,2000000,4000000,0,0,3,,\n");
}

}  // namespace
}  // namespace roofcast
