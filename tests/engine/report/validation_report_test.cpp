#include "engine/report/validation_report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "engine/report/csv.hpp"
#include "engine/report/table.hpp"

namespace roofcast {
namespace {

Validation toy_validation() {
  Validation validation{.measured = "tables", .runtime = "toy", .baseline = "roofline"};
  validation.tables = {{.file = "ops.csv", .rows = 4, .left_out = {{"cold_outlier", 1}}},
                       {.file = "memory.csv", .note = "memory is not compared yet"}};
  const Score gemm{.rows = 3,
                   .errors = {.median = 0.25, .mean = 0.5, .p90 = 1.5, .bias = -0.125},
                   .inside_range = 0.75,
                   .half_width = 0.5,
                   .baseline = Errors{.median = 0.5, .mean = 0.5, .p90 = 0.75, .bias = -0.5}};
  const Score sort{
      .rows = 1, .unpredicted = {{"operator:sort", 1}}, .errors = {.median = 1, .mean = 1, .p90 = 1}};
  validation.scores = {.axes = {ScoreAxis::kernel, ScoreAxis::model},
                       .groups = {{{"gemm", ""}, gemm}, {{"sort", ""}, sort}}};
  validation.scores.total = gemm;
  validation.scores.total.rows = 4;
  validation.scores.total.unpredicted = sort.unpredicted;
  return validation;
}

TEST_CASE("validation_document: the errors of each group, what is missing and what was left out") {
  const std::string text = write_table(validation_document(toy_validation()), {.width = 0});

  CHECK(
      text.starts_with("4 rows measured, 1 of them without a prediction: median error 25%, nine of ten "
                       "within 150%.\n"));
  CHECK(text.find("+") == text.find("+ means"));  // the bias is negative
  CHECK(text.find("-13%") != std::string::npos);
  CHECK(text.find("- operator:sort: 1 row\n") != std::string::npos);
  CHECK(text.find("- ops.csv: 1 of 5 rows: cold_outlier 1\n") != std::string::npos);
  CHECK(text.find("- memory.csv: memory is not compared yet\n") != std::string::npos);
}

TEST_CASE("validation_document: nothing to compare is said") {
  CHECK(write_table(validation_document({})) == "No rows to compare.\n");
}

TEST_CASE("validation_groups: fractions, and a last row without a key for all") {
  CHECK(write_csv(validation_groups(toy_validation())) ==
        "kernel,model,rows,unpredicted,median_error,mean_error,bias,p90_error,inside_range,half_width,"
        "baseline_median_error,baseline_p90_error,unpredicted_reasons\n"
        "gemm,,3,0,0.25,0.5,-0.125,1.5,0.75,0.5,0.5,0.75,\n"
        "sort,,1,1,1,1,,1,,,,,operator:sort 1\n"
        ",,4,1,0.25,0.5,-0.125,1.5,0.75,0.5,0.5,0.75,operator:sort 1\n");
}

TEST_CASE("validation_json: groups with their keys and null for what there is not") {
  const auto json = nlohmann::json::parse(validation_json(toy_validation(), "1.2.3"));

  CHECK(json["baseline"] == "roofline");
  CHECK(json["by"] == nlohmann::json({"kernel", "model"}));
  REQUIRE(json["groups"].size() == 2);
  const auto& gemm = json["groups"][0];
  CHECK(gemm["key"]["kernel"] == "gemm");
  CHECK(gemm["key"]["model"].is_null());
  CHECK(gemm["rows"] == 3);
  CHECK(gemm["unpredicted"].empty());
  CHECK(gemm["median_error"] == 0.25);
  CHECK(gemm["bias"] == -0.125);
  CHECK(gemm["p90_error"] == 1.5);
  CHECK(gemm["inside_range"] == 0.75);
  CHECK(gemm["half_width"] == 0.5);
  CHECK(gemm["baseline"]["median_error"] == 0.5);
  CHECK(json["groups"][1]["bias"].is_null());
  CHECK(json["groups"][1]["unpredicted"]["operator:sort"] == 1);
  CHECK(json["total"]["rows"] == 4);
  CHECK(json["tables"][0]["left_out"]["cold_outlier"] == 1);
  CHECK(json["tables"][1]["note"] == "memory is not compared yet");
}

TEST_CASE("validation_rows: a line for each row, with a prediction or why there is none") {
  const std::vector<MeasuredRow> rows = {{.source = "lab",
                                          .hardware = "toy",
                                          .device = "toy-8gb",
                                          .group = "n1k1",
                                          .runtime = "torch",
                                          .where = {"ops.csv", 2, 0},
                                          .measured = Seconds{2},
                                          .what = OperatorRow{.op = "gemm", .precision = "fp16"}},
                                         {.source = "lab",
                                          .hardware = "odd",
                                          .group = "net",
                                          .runtime = "x",
                                          .where = {"nets.csv", 3, 0},
                                          .measured = Seconds{4},
                                          .what = NetworkRow{.model = "net"}}};
  const std::vector<Outcome> outcomes = {{TimeRange{Seconds{1}, Seconds{3}, Seconds{9}}},
                                         {no_prediction("device:odd", "why, in words")}};

  const std::string text = write_csv(validation_rows(rows, outcomes, {}));

  CHECK(text.find("\nops.csv,2,lab,toy,toy-8gb,gemm,fp16,forward,,n1k1,torch,false,2,1,3,9,0.5,true,,,\n") !=
        std::string::npos);
  CHECK(text.find("\nnets.csv,3,lab,odd,,network,fp32,inference,net,net,x,false,4,,,,,,,device:odd,\"why, in "
                  "words\"\n") != std::string::npos);
}

}  // namespace
}  // namespace roofcast
