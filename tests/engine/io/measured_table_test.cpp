#include "engine/io/measured_table.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

Result<MeasuredTable> read(const std::string& text, const std::string& file = "t.csv") {
  const auto table = parse_csv(text, file);
  REQUIRE(table.has_value());
  return read_measured_table(*table);
}

MeasuredTable good(const std::string& text, const std::string& file = "t.csv") {
  auto table = read(text, file);
  INFO("complaint: ", table ? std::string("none") : to_string(table.error()));
  REQUIRE(table.has_value());
  return *std::move(table);
}

std::string complaint(const std::string& text) {
  const auto table = read(text);
  return table ? std::string{} : to_string(table.error());
}

const std::string gemm_header = "source,hw,op,precision,batch,m,n,k,latency_us,group,runtime_collector\n";

TEST_CASE("read_measured_table: products with their sizes, also written as fractions") {
  const MeasuredTable table = good(gemm_header + "lab,toy,bmm,fp32,2.0,3,5,7.0,12.5,n5k7,torch\n");

  CHECK(table.kind == TableKind::products);
  REQUIRE(table.rows.size() == 1);
  const MeasuredRow& row = table.rows.front();
  const auto& op = std::get<OperatorRow>(row.what);
  CHECK(row.source == "lab");
  CHECK(row.hardware == "toy");
  CHECK(row.group == "n5k7");
  CHECK(row.runtime == "torch");
  CHECK(row.where.line == 2);
  CHECK(row.measured.count() == close_to(12.5e-6));
  CHECK(op.op == "bmm");
  CHECK(op.batch == 2);
  CHECK(op.m == 3);
  CHECK(op.n == 5);
  CHECK(op.k == 7);
  CHECK_FALSE(op.weight_bytes.has_value());
}

TEST_CASE("read_measured_table: an empty batch is one product") {
  const MeasuredTable table = good(gemm_header + "lab,toy,gemm,fp16,,3,5,7,1,,\n");

  CHECK(std::get<OperatorRow>(table.rows.at(0).what).batch == 1);
  CHECK_FALSE(table.rows.at(0).group.empty());
}

TEST_CASE("read_measured_table: the kind follows from the columns, not from the file's name") {
  CHECK(good("source,hw,op,precision,m,n,latency_us\nl,t,gelu,fp16,2,3,1\n", "ops_gemm.csv").kind ==
        TableKind::streams);
  CHECK(good("source,hw,op,precision,batch,in_ch,out_ch,kernel,in_size,stride,pad,latency_us\n"
             "l,t,conv2d,fp32,1,3,64,7,224,2,3,1\n")
            .kind == TableKind::convolutions);
  const MeasuredTable attention = good(
      "source,hw,op,precision,batch,seq_q,seq_kv,heads,kv_heads,head_dim,latency_us,kv_dtype\n"
      "l,t,attention_decode,bf16,1,1,100,8,2,64,1,fp8\n");
  CHECK(attention.kind == TableKind::attention);
  CHECK(std::get<OperatorRow>(attention.rows.at(0).what).kv_dtype == DType::fp8);
}

TEST_CASE("read_measured_table: tables of other things are left out with a note") {
  CHECK(good("source,hw,metric,value,unit\nl,t,bw,1,GB/s\n").note == "micro-benchmarks are not compared yet");
  CHECK(good("source,hw,op,bytes,n_gpus\nl,t,all_reduce,1,2\n").note == "collectives are not compared yet");
  CHECK(good("colour\nred\n").note == "its columns are not those of measured operators or networks");
  CHECK(good("source,hw,op,precision,m,n,k,latency_us\nl,t,moe_fused_ffn,bf16,1,2,3,4\n").left_out ==
        std::map<std::string, std::int64_t>{{"moe_fused_ffn is not compared yet", 1}});
}

TEST_CASE("read_measured_table: unusable rows are counted by reason and not read") {
  const MeasuredTable table = good(
      "source,hw,op,precision,m,n,k,latency_us,usable,reason\n"
      "l,t,gemm,fp16,x,y,z,?,0,cold_outlier\n"
      "l,t,gemm,fp16,1,2,3,4,1,\n");

  CHECK(table.rows.size() == 1);
  CHECK(table.left_out == std::map<std::string, std::int64_t>{{"cold_outlier", 1}});
}

TEST_CASE("read_measured_table: a column that is missing is named") {
  CHECK(complaint("source,hw,op,precision,m,n,k,latency\nl,t,gemm,fp16,1,2,3,4\n") ==
        "t.csv:1: error: no column 'latency_us'\n  hint: did you mean 'latency'?\n");
  CHECK(complaint("source,hw,op,precision,m,n,latency_us\nl,t,gemm,fp16,1,2,4\n") ==
        "t.csv:2:5: error: 'gemm' needs a column 'k'\n");
}

TEST_CASE("read_measured_table: networks need a latency or a throughput") {
  const std::string columns = "source,model_key,task,hw,batch_size,storage_dtype,compute_dtype,runtime";

  CHECK(complaint(columns + "\n") == "t.csv:1: error: no column 'latency_ms'\n");
  CHECK(complaint(columns + ",latency_ms\n").empty());
  CHECK(complaint(columns + ",throughput\n").empty());
}

TEST_CASE("read_measured_table: all bad fields, each with line and column") {
  CHECK(complaint(gemm_header + "lab,toy,gemm,fp16,,3,5,seven,1,,\n"
                                "\"l,\"\"ab\"\"\",toy,gemm,fp16,,0,5,2.5,-1,,\n"
                                "lab,,gemm,fp16,1,3,5,7,,,\n") ==
        "t.csv:2:24: error: 'k' must be a number, not 'seven'\n"
        "t.csv:3:27: error: 'm' must be a whole number from 1, not 0\n"
        "t.csv:3:31: error: 'k' must be a whole number from 1, not 2.5\n"
        "t.csv:3:35: error: 'latency_us' must be more than 0, not -1\n"
        "t.csv:4:5: error: 'hw' is empty\n"
        "t.csv:4:24: error: 'latency_us' is empty\n");
}

const std::string network_header =
    "source,model_key,task,hw,batch_size,throughput,throughput_unit,latency_ms,storage_dtype,compute_dtype,"
    "runtime,phase,seq_in,seq_out,tf32,optimizer,attention,notes\n";

MeasuredRow network(const std::string& fields) {
  return good(network_header + fields).rows.at(0);
}

TEST_CASE("read_measured_table: a network's columns") {
  const MeasuredRow row = network(
      "lab,bert,training,toy,8,100,sequences/s,,fp32,fp16,pytorch-eager,none,384,,on,adamw,sdpa,\"a, b\"\n");
  const auto& what = std::get<NetworkRow>(row.what);

  CHECK(row.group == "bert");
  CHECK(row.runtime == "pytorch-eager");
  CHECK(row.measured.count() == close_to(8.0 / 100));
  CHECK(what.task == Task::training);
  CHECK(what.batch == 8);
  CHECK(what.input_length == 384);
  CHECK(what.storage == DType::fp32);
  CHECK(what.compute == DType::fp16);
  CHECK(what.tf32 == Tf32::on);
  CHECK(what.optimizer == "adamw");
  CHECK(what.attention == AttentionKind::fused);
  CHECK(what.layout == ImageLayout::none);
  CHECK(what.adapter.empty());
}

TEST_CASE("read_measured_table: tf32 is fp32 on Tensor Cores, of convolutions alone where the row says so") {
  const auto tf32 = [](const char* compute, const char* column) {
    return std::get<NetworkRow>(
               network(
                   fmt::format("lab,r,inference,toy,8,1,images/s,,fp32,{},x,none,,,{},,,\n", compute, column))
                   .what)
        .tf32;
  };

  CHECK(tf32("fp32", "off") == Tf32::off);
  CHECK(tf32("fp32", "") == Tf32::off);
  CHECK(tf32("tf32", "na") == Tf32::on);
  CHECK(tf32("tf32", "matmul_off_conv_on") == Tf32::convolutions);
  CHECK(tf32("fp32", "matmul_off_conv_on") == Tf32::convolutions);
}

TEST_CASE("read_measured_table: a latency goes before a throughput; tokens a second depend on the phase") {
  const auto time = [](const char* throughput, const char* latency, const char* phase) {
    return network(fmt::format("lab,gpt,inference,toy,4,{},{},fp16,fp16,x,{},100,10,,,,\n", throughput,
                               latency, phase))
        .measured.count();
  };

  CHECK(time("200,sequences/s", "30", "none") == close_to(30e-3));
  CHECK(time("200,sequences/s", "", "none") == close_to(4.0 / 200));
  CHECK(time("200,tokens/s", "", "prefill") == close_to(4.0 * 100 / 200));
  CHECK(time("200,tokens/s", "", "decode") == close_to(4.0 / 200));
  CHECK(time("200,output tokens/s", "", "mixed") == close_to(4.0 * 10 / 200));
}

TEST_CASE("read_measured_table: tokens a second need to know how many tokens") {
  CHECK(complaint(network_header + "lab,gpt,training,toy,4,200,tokens/s,,fp16,fp16,x,none,,,,,,\n") ==
        "t.csv:2:28: error: 'tokens/s' needs the number of tokens\n"
        "  hint: 'seq_in' of a pass over a text, 'seq_out' of generated tokens\n");
}

TEST_CASE("read_measured_table: a misspelt value gets a suggestion") {
  CHECK(complaint(network_header + "lab,gpt,trainin,toy,4,200,images/s,,fp99,fp16,x,none,,,,,,\n") ==
        "t.csv:2:9: error: 'task': unknown value 'trainin'\n"
        "  hint: did you mean 'training'?\n"
        "t.csv:2:37: error: 'storage_dtype': unknown element type 'fp99'\n"
        "  hint: fp32, fp16, bf16, fp8, int8 and so on\n");
}

TEST_CASE("read_measured_table: a table of memory has a network's columns and is left out by its name") {
  const std::string text = network_header + "lab,r,inference,toy,8,1,images/s,,fp32,fp32,x,none,,,,,,\n";

  CHECK(good(text, "memory.csv").note == "memory is not compared yet");
  CHECK(good(text, "memory.csv").rows.empty());
  CHECK(good(text, "networks.csv").rows.size() == 1);
}

TEST_CASE("read_measured_folder: the tables of a folder, and what its spellings of cards mean") {
  const auto folder = read_measured_folder(std::string(ROOFCAST_SOURCE_DIR) + "/tests/validation/example");

  INFO("complaint: ", folder ? std::string("none") : to_string(folder.error()));
  REQUIRE(folder.has_value());
  CHECK(folder->tables.size() >= 3);
  CHECK(folder->devices.at("a100-40gb-sxm") == "a100-sxm4-40gb");
}

TEST_CASE("read_measured_folder: a folder without tables") {
  const auto none = read_measured_folder(std::string(ROOFCAST_SOURCE_DIR) + "/hardware_db");
  const auto missing = read_measured_folder("/no/such/folder");

  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().front().message == "no table of measured operators or networks in here");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().front().where.file == "/no/such/folder");
}

}  // namespace
}  // namespace roofcast
