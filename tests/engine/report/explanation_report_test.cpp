#include "engine/report/explanation_report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "engine/report/csv.hpp"
#include "engine/report/table.hpp"
#include "tests/engine/report/toy_answer.hpp"

namespace roofcast {
namespace {

// Two layers run the same kernel, 2 x 100 us and 1 x 100 us.
Explanation toy_explanation() {
  ExplainedKernel kernel{
      .layer = "a.query", .op = "linear", .phase = "forward", .kernel = "gemm", .family = "gemm"};
  kernel.form = "m=8 n=4 k=2";
  kernel.arithmetic = "fp16 Tensor Core";
  kernel.inputs = {"8x2:fp16", "2x4:fp16"};
  kernel.outputs = {"8x4:fp16"};
  kernel.count = 2;
  kernel.macs = 8.0 * 4 * 2;
  kernel.flops = 2 * kernel.macs;
  kernel.read = mebibytes(3);
  kernel.written = mebibytes(1);
  kernel.intensity = 2;
  kernel.time = microseconds(100);
  kernel.bound = Bound::memory;
  kernel.terms = {{"launch", "5 us", microseconds(5)}, {"memory", "4 MiB / 44 GB/s", microseconds(95)}};
  ExplainedKernel other = kernel;
  other.layer = "b.key";
  other.count = 1;
  Explanation explanation{.row = toy_row("fp16", 8, 4), .hw_name = "Toy", .kernels = {kernel, other}};
  explanation.parameters = 1234;
  explanation.macs = 3 * kernel.macs;
  explanation.flops = 6 * kernel.macs;
  return explanation;
}

TEST_CASE("explanation_document: a row a kernel, and each distinct formula once") {
  CHECK(write_table(explanation_document(toy_explanation()), {.width = 0}) ==
        "net on Toy, fp16, batch 8, inference: 4.00 ms (2.00-8.00), 4.00 of 7.50 GiB\n"
        "1,234 parameters, 192 MACs and 384 FLOPs of matrix products in one forward pass\n"
        "\n"
        "Kernels (time is all launches of a row together, the rest is one launch)\n"
        "                                time                           read  written   FLOP\n"
        "layer    op      kernel  count    us    %      MMAC     GFLOP   MiB      MiB  /byte  bound\n"
        "-------------------------------------------------------------------------------------------\n"
        "a.query  linear  gemm        2   200  67%  6.40e-05  1.28e-07  3.00     1.00   2.00  memory\n"
        "b.key    linear  gemm        1   100  33%  6.40e-05  1.28e-07  3.00     1.00   2.00  memory\n"
        "sum: 300 us in 3 kernel launches; --format csv has every field\n"
        "\n"
        "How the times come about (one launch)\n"
        "- gemm m=8 n=4 k=2 [fp16 Tensor Core]: 100 us; launch = 5 us = 5.00 us; "
        "memory = 4 MiB / 44 GB/s = 95.0 us\n");
}

TEST_CASE("explanation_rows: every field of a kernel") {
  const std::string csv = write_csv(explanation_rows(toy_explanation()));

  CHECK(csv.starts_with(
      "layer,op,phase,kernel,family,form,arithmetic,inputs,outputs,count,parameters,macs,flops,"
      "other_operations,executed_macs,read_bytes,written_bytes,intensity_flops_per_byte,time_s,"
      "total_time_s,bound,evidence,terms\n"
      "a.query,linear,forward,gemm,gemm,m=8 n=4 k=2,fp16 Tensor Core,8x2:fp16 2x4:fp16,8x4:fp16,2,"
      "0,64,128,0,0,3145728,1048576,2,"));
}

TEST_CASE("explanation_json: kernels with their terms, and the configuration") {
  const auto json = nlohmann::json::parse(explanation_json(toy_explanation(), "1"));

  CHECK(json["result"]["precision"] == "fp16");
  REQUIRE(json["kernels"].size() == 2);
  CHECK(json["kernels"][0]["macs"] == 8 * 4 * 2);
  CHECK(json["kernels"][0]["terms"][1]["name"] == "memory");
  CHECK(json["kernels"][0]["terms"][1]["formula"] == "4 MiB / 44 GB/s");
}

}  // namespace
}  // namespace roofcast
