#include "engine/decide/recommend.hpp"

#include <doctest/doctest.h>

#include "tests/engine/report/toy_answer.hpp"

namespace roofcast {
namespace {

// `throughput` of 0 means that it does not fit. Usable are 10 GiB.
AnswerRow row(std::int64_t batch, double throughput, double needed_gib = 4, bool quantized = false) {
  AnswerRow made = toy_row("fp16", batch, throughput > 0 ? 1e3 * static_cast<double>(batch) / throughput : 0);
  if (throughput > 0) made.throughput = throughput;
  made.memory.needed = gibibytes(needed_gib);
  made.memory.usable = gibibytes(10);
  made.quantized = quantized;
  return made;
}

TEST_CASE("recommended_row: the smallest batch within five percent of the best") {
  CHECK(recommended_row({row(1, 94.9), row(2, 95), row(4, 100)}) == 1);
  CHECK(recommended_row({row(1, 95), row(2, 97), row(4, 100)}) == 0);
  CHECK(recommended_row({row(1, 10), row(2, 20), row(4, 100)}) == 2);
}

TEST_CASE("recommended_row: of equal batches the fastest") {
  CHECK(recommended_row({row(4, 96), row(4, 100), row(4, 98)}) == 1);
}

TEST_CASE("recommended_row: leaves a tenth of the memory free") {
  CHECK(recommended_row({row(1, 50, 9), row(2, 100, 9.01)}) == 0);
  CHECK(recommended_row({row(1, 50, 8), row(2, 100, 9)}) == 1);
}

TEST_CASE("recommended_row: what leaves no tenth does not set the mark either") {
  CHECK(recommended_row({row(1, 50), row(2, 51), row(4, 1000, 9.5)}) == 0);
}

TEST_CASE("recommended_row: quantised weights only when there is nothing else") {
  CHECK(recommended_row({row(1, 10), row(1, 100, 4, true)}) == 0);
  CHECK(recommended_row({row(1, 10, 9.5), row(1, 100, 4, true)}) == 0);
  CHECK(recommended_row({row(1, 0), row(1, 100, 4, true)}) == 1);
}

TEST_CASE("recommended_row: nothing fits, nothing is recommended") {
  CHECK_FALSE(recommended_row({}).has_value());
  CHECK_FALSE(recommended_row({row(1, 0)}).has_value());
  CHECK(recommended_row({row(1, 10, 9.5)}) == 0);  // fits, if with little to spare
}

AnswerGroup group(std::vector<AnswerRow> rows) {
  AnswerGroup made{.hw = "toy-8gb", .hw_name = "Toy", .model = "net"};
  made.recommended = recommended_row(rows);
  made.rows = std::move(rows);
  return made;
}

TEST_CASE("verdict: what to run and what it gives") {
  CHECK(verdict(group({row(4, 2000)})) ==
        "net on Toy (toy-8gb), inference in fp16, batch 4: fits (4.0 of 10.0 GiB), about 2,000 samples/s "
        "(1,000 to 4,000), "
        "2 ms a batch, limited by compute (75% of the time).");
}

TEST_CASE("verdict: the host is the limit where kernels wait for it, launches where they start slowly") {
  AnswerRow waiting = row(4, 2000);
  waiting.bound = Bound::launch;
  waiting.bound_share = 0.8;
  waiting.waiting_share = 0.7;
  CHECK(verdict(group({waiting}))
            .ends_with(", limited by the host: kernels wait for their launches 70% of the time."));
  waiting.waiting_share = 0.3;
  CHECK(verdict(group({waiting})).ends_with(", limited by launch (80% of the time)."));
}

TEST_CASE("verdict: inputs are the limit where the card waits for them") {
  AnswerRow waiting = row(4, 2000);
  waiting.bound = Bound::input;
  waiting.bound_share = 0.6;
  CHECK(verdict(group({waiting})).ends_with(", limited by the supply of inputs (60% of the time)."));
}

TEST_CASE("verdict: money with its source and date") {
  AnswerRow priced = row(4, 2000);
  priced.price = Price{.per_gpu = UsdPerHour{3.6}, .cloud = "cloud", .as_of = "2026-07"};
  priced.usd_per_million_samples = 0.5;

  CHECK(verdict(group({priced}))
            .ends_with(", $0.5 per million samples at $3.60 per GPU-hour (cloud, 2026-07)."));
}

TEST_CASE("verdict: why there is nothing to take") {
  CHECK(
      verdict(group({row(1, 0, 12), row(2, 0, 14)})) ==
      "net on Toy (toy-8gb), inference: does not fit, even at fp16, batch 1, which needs 12.0 of 10.0 GiB.");
  AnswerRow tight = row(1, 10, 9.5);
  tight.memory.fits = Fit::marginal;
  CHECK(verdict(group({tight})) ==
        "net on Toy (toy-8gb), inference: fits only just if at all, even at fp16, batch 1, which needs 9.5 "
        "of 10.0 "
        "GiB.");
  CHECK(verdict(group({})) == "net on Toy (toy-8gb): nothing to report.");
}

TEST_CASE("verdict: numbers have three digits, and rounding may carry") {
  CHECK(verdict(group({row(1, 999.6)})).find("about 1,000 samples/s") != std::string::npos);
  CHECK(verdict(group({row(1, 1234567)})).find("about 1,230,000 samples/s") != std::string::npos);
  CHECK(verdict(group({row(1, 12.345)})).find("about 12.3 samples/s") != std::string::npos);
}

TEST_CASE("recommended_row: weights as the model's file has them go first") {
  AnswerRow stored = row(1, 50, 4, true);
  stored.as_stored = true;

  CHECK(recommended_row({row(1, 100), stored}) == 1);
}

AnswerRow in_phase(const char* phase, AnswerRow made, double tokens) {
  made.phase = phase;
  if (made.throughput) made.tokens_per_second = *made.throughput * tokens;
  return made;
}

TEST_CASE("recommended_row: of the deciding phase, if the others fit too") {
  const AnswerRow prefill = in_phase("prefill", row(1, 10), 128);
  const AnswerRow large_prefill = in_phase("prefill", row(8, 0), 128);

  CHECK(recommended_row({prefill, in_phase("decode", row(1, 100), 1)}, "decode") == 1);
  CHECK(recommended_row(
            {prefill, large_prefill, in_phase("decode", row(1, 10), 1), in_phase("decode", row(8, 80), 1)},
            "decode") == 2);
}

TEST_CASE("verdict: says what each phase gives, in tokens") {
  AnswerGroup made{.hw = "toy-8gb", .hw_name = "Toy", .model = "net", .phase = "decode"};
  made.rows = {in_phase("prefill", row(4, 20, 5), 128), in_phase("decode", row(4, 2000), 1)};
  made.recommended = 1;

  CHECK(
      verdict(made) ==
      "net on Toy (toy-8gb), inference in fp16, batch 4: fits (5.0 of 10.0 GiB); decode about 2,000 tokens/s "
      "(1,000 to 4,000), 2 ms a token, limited by compute (75% of the time); prefill about 2,560 tokens/s "
      "(1,280 to "
      "5,120), 200 ms a batch, limited by compute (75% of the time).");
}

TEST_CASE("verdict: does not fit if one phase does not") {
  AnswerGroup made{.hw = "toy-8gb", .hw_name = "Toy", .model = "net", .phase = "decode"};
  made.rows = {in_phase("prefill", row(1, 20, 5), 128), in_phase("decode", row(1, 0, 12), 1)};
  made.recommended = recommended_row(made.rows, made.phase);

  CHECK_FALSE(made.recommended.has_value());
  CHECK(verdict(made) ==
        "net on Toy (toy-8gb), inference (decode): does not fit, even at fp16, batch 1, which needs 12.0 of "
        "10.0 "
        "GiB.");
}

TEST_CASE("smallest_row: the smallest configuration, in the phase that needs most") {
  CHECK(smallest_row({}) == nullptr);
  const std::vector<AnswerRow> rows = {
      in_phase("prefill", row(1, 10, 6), 128), in_phase("prefill", row(2, 10, 7), 128),
      in_phase("decode", row(1, 10, 5), 1), in_phase("decode", row(2, 10, 8), 1)};
  CHECK(smallest_row(rows) == rows.data());
}

}  // namespace
}  // namespace roofcast
