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

TEST_CASE("summary_rows: one row") {
  CHECK(write_csv(summary_rows(toy_summary())) ==
        "name,parameters,parameters_active,statistics,macs,flops,other_operations,activation_elements,nodes\n"
        "net,1500,1500,0,2000000,4000000,0,0,3\n");
}

}  // namespace
}  // namespace roofcast
