#include "engine/report/answer_report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "engine/report/csv.hpp"
#include "engine/report/table.hpp"
#include "tests/engine/report/toy_answer.hpp"

namespace roofcast {
namespace {

Answer two_rows() {
  Answer answer = toy_answer({toy_row("fp16", 8, 4), toy_row("fp16", 2048, 0)}, 0);
  answer.groups[0].rows[0].price =
      Price{.per_gpu = {1.5}, .cloud = "cloud", .instance = "big", .as_of = "2026-05"};
  answer.groups[0].rows[0].usd_per_million_samples = 0.25;
  answer.groups[0].rows[0].notes = {"a note"};
  answer.warnings = {{"W-HOST", "small batch"}};
  return answer;
}

TEST_CASE("answer_document: verdict, grid, memory, assumptions, notes, warnings") {
  CHECK(write_table(answer_document(two_rows(), false)) ==
        "net on toy-8gb: fits\n"
        "\n"
        "toy-8gb (7.50 GiB usable), net, seq 128, inference, eager\n"
        "                  latency   p10-p90 samples memory                      $/M\n"
        "  precision batch      ms        ms      /s    GiB fits limit       samples\n"
        "---------------------------------------------------------------------------\n"
        "* fp16          8    4.00 2.00-8.00   2,000   4.00 yes  compute 75%   0.250\n"
        "  fp16      2,048     OOM                     9.00 no\n"
        "* recommended: smallest batch within 5% of the best throughput\n"
        "price: $1.50 per GPU and hour, cloud big, 2026-05\n"
        "basis of the times: data sheet\n"
        "\n"
        "Memory at fp16, batch 8\n"
        "category                    GiB     %\n"
        "-------------------------------------\n"
        "weights                    1.00   25%\n"
        "activations                3.00   75%\n"
        "needed                     4.00  100%\n"
        "reserved by the allocator  4.50\n"
        "shown by nvidia-smi        5.00\n"
        "usable on the card         7.50\n"
        "\n"
        "Assumptions\n"
        "- one stream\n"
        "\n"
        "Notes\n"
        "- a note\n"
        "\n"
        "Warnings\n"
        "- W-HOST: small batch\n");
}

AnswerRow in_phase(const char* phase, double tokens) {
  AnswerRow row = toy_row("fp16", 8, 4);
  row.phase = phase;
  row.tokens_per_second = tokens;
  row.usd_per_million_samples = 1.0;
  row.usd_per_million_tokens = 0.25;
  row.symbols["cached"] = 1;
  row.symbols["past"] = phase == std::string_view("decode") ? 64 : 0;
  return row;
}

TEST_CASE("answer_document: phases have a column, and are measured in tokens") {
  const std::string text = write_table(
      answer_document(toy_answer({in_phase("prefill", 9000), in_phase("decode", 2000)}, 1), false));

  CHECK(text.find("toy-8gb (7.50 GiB usable), net, seq 128, inference, eager\n"  // what differs is left out
                  "                          latency   p10-p90 tokens memory                     $/M\n"
                  "  phase   precision batch      ms        ms     /s    GiB fits limit       tokens\n"
                  "--------------------------------------------------------------------------------\n"
                  "  prefill fp16          8    4.00 2.00-8.00  9,000   4.00 yes  compute 75%  0.250\n"
                  "* decode  fp16          8    4.00 2.00-8.00  2,000   4.00 yes  compute 75%  0.250\n"
                  "* recommended: smallest batch within 5% of the best throughput of decode\n") !=
        std::string::npos);
  CHECK(text.find("Memory at decode in fp16, batch 8\n") != std::string::npos);
}

TEST_CASE("answer_document: folded rows are counted, --all shows them") {
  std::vector<AnswerRow> rows;
  for (std::int64_t batch = 1; batch <= 256; batch *= 2)
    rows.push_back(toy_row("fp16", batch, 1.0 * static_cast<double>(batch)));
  const Answer answer = toy_answer(rows, 0);

  CHECK(write_table(answer_document(answer, false)).find("6 more rows: --all or --format csv\n") !=
        std::string::npos);
  CHECK(write_table(answer_document(answer, true)).find("more rows") == std::string::npos);
}

TEST_CASE("answer_document: several cards stand side by side") {
  Answer answer = toy_answer({toy_row("fp16", 8, 4)}, 0);
  AnswerGroup other = answer.groups[0];
  other.rows[0] = toy_row("fp16", 8, 2);
  other.rows[0].hw = "toy-16gb";
  other.verdict = "net on toy-16gb: fits";
  answer.groups.push_back(other);

  CHECK(write_table(answer_document(answer, false), {.width = 0}) ==
        "net on toy-8gb: fits\n"
        "net on toy-16gb: fits\n"
        "\n"
        "Recommended configuration of each\n"
        "                                   latency     per  against  memory                         $/M\n"
        "hw        model  precision  batch       ms  second    first     GiB  fits  limit        samples\n"
        "-----------------------------------------------------------------------------------------------\n"
        "toy-8gb   net    fp16           8     4.00   2,000    1.00x    4.00  yes   compute 75%\n"
        "toy-16gb  net    fp16           8     2.00   4,000    2.00x    4.00  yes   compute 75%\n"
        "--all prints every configuration of each, --format csv too\n"
        "\n"
        "Assumptions\n"
        "- one stream\n");
}

TEST_CASE("answer_rows: one row a configuration, raw and in base units, missing values empty") {
  CHECK(write_csv(answer_rows(two_rows())) ==
        "hw,n_gpus,model,task,phase,precision,quantized,runtime,optimizer,batch,global_batch,symbols,fits,"
        "latency_p10_s,latency_p50_s,latency_p90_s,throughput,throughput_unit,tokens_per_s,"
        "memory_needed_bytes,memory_reserved_bytes,memory_device_bytes,memory_usable_bytes,"
        "memory_weights_bytes,memory_gradients_bytes,memory_optimizer_state_bytes,memory_activations_bytes,"
        "memory_kv_cache_bytes,memory_inputs_bytes,memory_workspace_bytes,memory_framework_bytes,"
        "bound,bound_share,waiting_share,price_usd_per_hour,price_cloud,price_instance,price_date,"
        "usd_per_million_samples,usd_per_million_tokens,evidence,notes,recommended\n"
        "toy-8gb,1,net,inference,forward,fp16,false,eager,,8,8,batch=8 seq=128,yes,"
        "0.002,0.004,0.008,2000,samples/s,,"
        "4294967296,4831838208,5368709120,8053063680,"
        "1073741824,0,0,3221225472,0,0,0,0,"
        "compute,0.75,0,1.5,cloud,big,2026-05,0.25,,data sheet,a note,true\n"
        "toy-8gb,1,net,inference,forward,fp16,false,eager,,2048,2048,batch=2048 seq=128,no,"
        ",,,,samples/s,,"
        "9663676416,4831838208,5368709120,8053063680,"
        "1073741824,0,0,3221225472,0,0,0,0,"
        ",,,,,,,,,data sheet,,false\n");
}

TEST_CASE("answer_json: what does not fit has no time, not a time of zero") {
  const auto json = nlohmann::ordered_json::parse(answer_json(two_rows(), "1.2.3"));

  CHECK(json["schema_version"] == 1);
  CHECK(json["tool_version"] == "1.2.3");
  CHECK(json["inputs"]["hw"] == "toy");
  CHECK(json["warnings"][0]["code"] == "W-HOST");
  REQUIRE(json["results"].size() == 2);
  const auto& fits = json["results"][0];
  CHECK(fits["latency_s"]["p50"] == 0.004);
  CHECK(fits["memory_bytes"]["needed"].dump() == "4294967296");
  CHECK(fits["memory_by_category"]["optimizer_state"] == 0);
  CHECK(fits["price"]["date"] == "2026-05");
  CHECK(fits["optimizer"].is_null());
  CHECK(fits["recommended"] == true);
  const auto& fails = json["results"][1];
  for (const char* key : {"latency_s", "throughput", "tokens_per_second", "bound", "bound_share", "price",
                          "usd_per_million_samples", "usd_per_million_tokens"}) {
    CAPTURE(key);
    CHECK(fails[key].is_null());
  }
  CHECK(fails["fits"] == "no");
}

TEST_CASE("answer_json: a name that is not UTF-8 does not break it") {
  Answer answer = two_rows();
  answer.groups[0].rows[0].model = "n\xff";

  CHECK(nlohmann::json::parse(answer_json(answer, "1"))["results"][0]["model"] == "n\xef\xbf\xbd");
}

TEST_CASE("answer_json: keys keep their order") {
  const std::string text = answer_json(two_rows(), "1");
  std::size_t last = 0;
  for (const char* key :
       {"\"schema_version\"", "\"tool_version\"", "\"inputs\"", "\"assumptions\"", "\"warnings\"",
        "\"results\"", "\"hw\": \"toy-8gb\"", "\"fits\"", "\"latency_s\"", "\"evidence\""}) {
    const std::size_t at = text.find(key);
    CAPTURE(key);
    REQUIRE(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
}

}  // namespace
}  // namespace roofcast
