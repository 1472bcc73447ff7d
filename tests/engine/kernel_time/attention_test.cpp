#include "engine/kernel_time/attention.hpp"

#include <doctest/doctest.h>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// 10 SMs with 10 TFLOP/s on Tensor Cores in fp16, 1 TB/s, and vector units that take no time.
Machine machine() {
  Machine toy = machine_of(toy_device());
  toy.vector = FlopsPerSecond{1e30};
  return toy;
}

AttentionParameters parameters() {
  AttentionParameters fitted = toy_priors().kernels.attention;
  fitted.launch_us = 0;
  fitted.decode_launch_us = 0;
  return fitted;
}

AttentionWork square(std::int64_t heads, std::int64_t length, bool causal = false) {
  const auto tokens = static_cast<double>(length);
  return {.form = {.heads = heads,
                   .kv_heads = heads,
                   .query_length = length,
                   .key_length = length,
                   .head_size = 64,
                   .causal = causal},
          .arithmetic = Arithmetic::tensor_fp16,
          .executed_macs = 2 * static_cast<double>(heads) * tokens * tokens * 64};
}

AttentionTime run(const AttentionWork& work, const AttentionParameters& fitted = parameters()) {
  return attention_time(work, machine(), fitted);
}

double us(Seconds time) {
  return as_microseconds(time);
}

TEST_CASE("attention_time: products at a share of the peak") {
  AttentionParameters fitted = parameters();
  fitted.forward_share = 0.5;
  fitted.backward_share = 0.25;
  AttentionWork work = square(10, 1024);  // 80 blocks
  const double peak_us = 2 * 2 * 10 * 1024.0 * 1024 * 64 / 10e12 * 1e6;

  CHECK(run(work, fitted).blocks == 80);
  CHECK(us(run(work, fitted).total) == close_to(peak_us / 0.5));
  work.form.pass = Pass::backward;
  CHECK(us(run(work, fitted).total) == close_to(peak_us / 0.25));
  fitted.launch_us = 9;
  CHECK(us(run(work, fitted).total) == close_to(9 + peak_us / 0.25));
}

TEST_CASE("attention_time: fewer blocks than SMs leave some idle") {
  CHECK(us(run(square(1, 128)).compute) == close_to(10 * 2 * 2 * 128.0 * 128 * 64 / 10e12 * 1e6));
  CHECK(run(square(10, 128)).compute == run(square(1, 128)).compute);
}

TEST_CASE("attention_time: a share of the longest row of tiles is waited for") {
  AttentionParameters fitted = parameters();
  fitted.imbalance = 0.5;
  const double all_us = us(run(square(10, 1024)).compute);

  // each of 80 blocks is 1/80 of the whole; 9 of 10 SMs wait for half of one
  CHECK(us(run(square(10, 1024), fitted).compute) == close_to(all_us * (1 + 0.5 / 80 * 9)));
  // the last of 8 rows of a causal square sees 8 tiles, the mean one 4.5
  CHECK(us(run(square(10, 1024, true), fitted).compute) == close_to(all_us * (1 + 0.5 / 80 * 9 * 8 / 4.5)));
}

TEST_CASE("attention_time: rows of tiles are about as long if a window or many earlier keys level them") {
  AttentionParameters fitted = parameters();
  fitted.imbalance = 0.5;
  AttentionWork late = square(10, 1024, true);  // 8 rows of tiles see 9 to 16 tiles
  late.form.key_length = 2048;
  AttentionWork windowed = square(10, 1024, true);
  windowed.form.window = 128;
  const auto waited = [&](const AttentionWork& work) {
    return us(run(work, fitted).compute) / us(run(work).compute) - 1;
  };

  CHECK(waited(late) == close_to(0.5 / 80 * 9 * 16 / 12.5));
  CHECK(waited(windowed) == close_to(0.5 / 80 * 9));
}

TEST_CASE("attention_time: queries are padded to whole tiles of 128, or 64 for short prompts") {
  AttentionWork work = square(10, 1024);
  const double macs = work.executed_macs;
  const double whole_us = us(run(work).compute);
  work.form.query_length = 1000;
  work.executed_macs = macs * 1000 / 1024;
  CHECK(us(run(work).compute) == close_to(whole_us));

  work.form.query_length = 60;  // one tile of 64 for each of ten heads
  work.executed_macs = macs * 60 / 1024;
  CHECK(us(run(work).compute) == close_to(whole_us * 64 / 1024));
}

TEST_CASE("attention_time: keys and heads are padded too") {
  AttentionWork work = square(10, 1024);
  const double macs = work.executed_macs;
  const double whole_us = us(run(work).compute);
  work.form.key_length = 1000;
  work.form.head_size = 40;  // to 64
  work.executed_macs = macs * 1000 / 1024 * 40 / 64;

  CHECK(us(run(work).compute) == close_to(whole_us));
}

TEST_CASE("attention_time: between the products each score takes the vector units some operations") {
  AttentionParameters fitted = parameters();
  fitted.score_operations = 20;
  AttentionWork work = square(10, 1024);
  const double products_us = us(run(work).compute);
  const double scores_us = 20 * 10 * 1024.0 * 1024 / 1e12 * 1e6;  // at 1 TFLOP/s
  const auto compute = [&] { return us(attention_time(work, machine_of(toy_device()), fitted).compute); };

  CHECK(compute() == close_to(products_us + scores_us));
  work.form.pass = Pass::backward;
  work.executed_macs *= 2.5;  // five products instead of two
  CHECK(compute() == close_to(2.5 * products_us + scores_us));
}

TEST_CASE("attention_time: bytes decide where there is little to multiply") {
  AttentionParameters fitted = parameters();
  fitted.bandwidth_share = 0.5;
  AttentionWork work = square(10, 128);
  work.read = Bytes{0.75e9};
  work.written = Bytes{0.25e9};

  CHECK(us(run(work, fitted).total) == close_to(2000));
}

AttentionWork token(std::int64_t batch, std::int64_t heads, std::int64_t keys) {
  return {.form = {.batch = batch,
                   .heads = heads,
                   .kv_heads = heads,
                   .query_length = 1,
                   .key_length = keys,
                   .head_size = 128,
                   .causal = true},
          .arithmetic = Arithmetic::tensor_fp16,
          .executed_macs = 1,
          .read = Bytes{1e9}};
}

TEST_CASE("attention_time: one query over a cache follows the bytes of the cache") {
  AttentionParameters fitted = parameters();
  fitted.bandwidth_share = 0.5;
  fitted.decode_launch_us = 11;

  CHECK(us(run(token(4, 8, 1024), fitted).total) == close_to(11 + 2000));
}

TEST_CASE("attention_time: with few sequences too few blocks are in flight") {
  AttentionParameters fitted = parameters();
  fitted.few_blocks = 0.8;  // x 10 SMs: 8 blocks reach half of the bandwidth

  CHECK(us(run(token(1, 1, 1024), fitted).memory) == close_to(1000 * 2.0));         // 8 blocks of 128 keys
  CHECK(us(run(token(1, 1, 1), fitted).memory) == close_to(1000 * (1 + 8) / 1.0));  // 1 block
  CHECK(us(run(token(9, 8, 1024), fitted).memory) == close_to(1000 * (576 + 8) / 576.0));
}

TEST_CASE("attention_time: each head of a sequence costs an SM a little") {
  AttentionParameters fitted = parameters();
  fitted.decode_head_us = 3;
  AttentionWork work = token(5, 8, 1024);

  CHECK(us(run(work, fitted).memory) == close_to(1000 + 3 * 5 * 8 / 10.0));
  work.form.heads = 64;  // that share eight keys and values
  CHECK(us(run(work, fitted).memory) == close_to(1000 + 3 * 5 * 8 / 10.0));
}

TEST_CASE("attention_time: up to eight queries are a step of decoding") {
  AttentionParameters fitted = parameters();
  fitted.decode_launch_us = 100;
  AttentionWork work = token(4, 8, 1024);

  work.form.query_length = 8;
  CHECK(us(run(work, fitted).launch) == close_to(100));
  work.form.query_length = 9;
  CHECK(run(work, fitted).launch.count() == 0);
}

}  // namespace
}  // namespace roofcast
