#include "engine/decide/estimate.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/decide/precisions.hpp"
#include "tests/close_to.hpp"
#include "tests/toy_model.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

const std::string head = model_head("batch = 1\nwidth = 262144", "tokens = 10");
const std::string text =
    head + input("x", "\"batch\", \"width\"") + node("fc", "linear", "\"x\"", "out_features = 8");

AnswerGroup group(const Request& request, const std::string& model = text,
                  const Platform& platform = toy_platform()) {
  auto answer = estimate(load(model), platform, request);
  INFO("complaint: ", answer ? std::string("none") : to_string(answer.error()));
  REQUIRE(answer.has_value());
  return *std::move(answer);
}

std::string complaint(const Request& request, const std::string& model = text,
                      const Platform& platform = toy_platform()) {
  const auto answer = estimate(load(model), platform, request);
  return answer ? "no mistakes" : to_string(answer.error());
}

std::vector<std::string> names(const Result<std::vector<PrecisionPolicy>>& policies) {
  std::vector<std::string> all;
  for (const PrecisionPolicy& policy : policies.value()) all.push_back(policy.name);
  return all;
}

Device without_bf16() {
  Device device = toy_device();
  device.operations_per_clock_per_sm[static_cast<std::size_t>(Arithmetic::tensor_bf16)].reset();
  return device;
}

TEST_CASE("precisions_for: all that the card has for the task") {
  CHECK(names(precisions_for(toy_device(), {})) ==
        std::vector<std::string>{"fp32", "tf32", "fp16", "bf16", "fp8", "int8"});
  CHECK(names(precisions_for(toy_device(), {.task = Task::training})) ==
        std::vector<std::string>{"fp32", "tf32", "amp-fp16", "amp-bf16"});
  CHECK(names(precisions_for(without_bf16(), {})) ==
        std::vector<std::string>{"fp32", "tf32", "fp16", "int8"});
}

TEST_CASE("precisions_for: those that were asked for, in their order") {
  CHECK(names(precisions_for(toy_device(), {.precisions = {"fp16", "fp32"}})) ==
        std::vector<std::string>{"fp16", "fp32"});
}

TEST_CASE("precisions_for: unknown and unsupported ones are named, all at once") {
  const auto policies = precisions_for(without_bf16(), {.precisions = {"fp61", "bf16", "zzz"}});

  REQUIRE_FALSE(policies.has_value());
  CHECK(to_string(policies.error()) ==
        "error: unknown precision 'fp61'\n  hint: did you mean 'fp16'?\n"
        "error: Toy has no bf16\n  hint: for inference it has fp32, tf32, fp16, int8, w8a16, w4a16, nf4, "
        "mxfp4\n"
        "error: unknown precision 'zzz'\n"
        "  hint: precisions are fp32, tf32, fp16, bf16, fp8, int8, w8a16, w4a16, nf4, mxfp4, amp-fp16, "
        "amp-bf16\n");
}

TEST_CASE("precisions_for: autocast is for inference too, if somebody asks") {
  CHECK(names(precisions_for(toy_device(), {.precisions = {"amp-fp16"}})) ==
        std::vector<std::string>{"amp-fp16"});
}

TEST_CASE("precisions_for: 16-bit inference precisions are not for training") {
  CHECK(to_string(precisions_for(toy_device(), {.task = Task::training, .precisions = {"fp16"}}).error()) ==
        "error: precision 'fp16' is not for training\n"
        "  hint: for training on this card: fp32, tf32, amp-fp16, amp-bf16\n");
}

TEST_CASE("estimate: rows for every precision, powers of two and the largest batch") {
  const AnswerGroup answer = group({.precisions = {"fp32", "fp16"}});

  std::vector<std::int64_t> fp32;
  for (const AnswerRow& row : answer.rows) {
    if (row.precision == "fp32") fp32.push_back(row.batch);
  }
  REQUIRE(fp32.size() > 2);
  CHECK(fp32[0] == 1);
  CHECK(fp32[1] == 2);
  CHECK(std::ranges::is_sorted(fp32));
  CHECK(answer.rows.back().precision == "fp16");
  CHECK(answer.rows.back().batch > fp32.back());
  CHECK(answer.recommended.has_value());
  CHECK_FALSE(answer.verdict.empty());
}

TEST_CASE("estimate: batches that were asked for are all there is") {
  const AnswerGroup answer = group({.precisions = {"fp32"}, .batches = {3, 5}});

  REQUIRE(answer.rows.size() == 2);
  CHECK(answer.rows[0].batch == 3);
  CHECK(answer.rows[0].symbols.at("batch") == 3);
  CHECK(answer.rows[1].batch == 5);
}

TEST_CASE("estimate: a bound batch symbol is the batch") {
  const AnswerGroup answer = group({.precisions = {"fp32"}, .symbols = {{"batch", 7}}});

  REQUIRE(answer.rows.size() == 1);
  CHECK(answer.rows[0].batch == 7);
}

TEST_CASE("estimate: throughput, tokens and money follow from the latency") {
  Platform platform = toy_platform();
  platform.price = Price{.per_gpu = UsdPerHour{3.6}, .cloud = "cloud"};
  const AnswerRow row = group({.precisions = {"fp32"}, .batches = {16}}, text, platform).rows.at(0);

  const double seconds = row.latency->p50.count();
  CHECK(*row.throughput == close_to(16 / seconds));
  CHECK(*row.tokens_per_second == close_to(10 * 16 / seconds));
  CHECK(*row.usd_per_million_samples == close_to(1e6 * 0.001 * seconds / 16));
  CHECK(*row.usd_per_million_tokens == close_to(*row.usd_per_million_samples / 10));
}

TEST_CASE("estimate: what does not fit has no latency and nothing that follows from one") {
  Platform platform = toy_platform();
  platform.price = Price{.per_gpu = UsdPerHour{3.6}, .cloud = "cloud"};
  const AnswerGroup answer = group({.precisions = {"fp32"}, .batches = {1, 1 << 20}}, text, platform);

  REQUIRE(answer.rows.size() == 2);
  CHECK(answer.rows[0].latency.has_value());
  const AnswerRow& too_large = answer.rows[1];
  CHECK(too_large.memory.fits == Fit::no);
  CHECK_FALSE(too_large.latency.has_value());
  CHECK_FALSE(too_large.throughput.has_value());
  CHECK_FALSE(too_large.tokens_per_second.has_value());
  CHECK_FALSE(too_large.bound.has_value());
  CHECK_FALSE(too_large.usd_per_million_samples.has_value());
  CHECK(too_large.notes == std::vector<std::string>{"needs 1024.0 GiB of 8.0 GiB"});
  CHECK(answer.recommended == 0);
}

TEST_CASE("estimate: when nothing fits, batch 1 shows by how much") {
  const AnswerGroup answer = group({.precisions = {"fp32"}, .symbols = {{"width", 1LL << 32}}});

  REQUIRE(answer.rows.size() == 1);
  CHECK(answer.rows[0].batch == 1);
  CHECK(answer.rows[0].memory.fits == Fit::no);
  CHECK_FALSE(answer.recommended.has_value());
}

TEST_CASE("estimate: training rows name their optimizer and keep its state") {
  const AnswerRow row =
      group(
          {.task = Task::training, .optimizer = Optimizer::momentum, .precisions = {"fp32"}, .batches = {2}})
          .rows.at(0);
  const double parameters = 262144.0 * 8 + 8;

  CHECK(row.phase == "step");
  CHECK(row.optimizer == "momentum");
  CHECK(row.memory[MemoryCategory::optimizer_state].value == 4 * parameters);
  CHECK(group({.precisions = {"fp32"}, .batches = {2}}).rows.at(0).optimizer.empty());
}

TEST_CASE("estimate: quantised rows say so") {
  const AnswerGroup answer = group({.precisions = {"fp16", "int8"}, .batches = {1024}});

  CHECK_FALSE(answer.rows.at(0).quantized);
  CHECK(answer.rows.at(1).quantized);
  CHECK(answer.rows.at(1).notes.back() == "quantised weights: measure whether the model stays good enough");
}

TEST_CASE("estimate: a model needs a symbol 'batch'") {
  CHECK(complaint({}, model_head("n = 2") + input("x", "\"n\", 8") + node("r", "relu", "\"x\"")) ==
        "m.toml: error: the model has no symbol 'batch'\n"
        "  hint: let [symbols] define 'batch' and use it as the first dimension of the inputs\n");
}

TEST_CASE("estimate: a batch of zero or less is an error") {
  const std::string hint =
      "\n  hint: all dimensions must be at least 1; is an input too small for the model?\n";

  CHECK(complaint({.precisions = {"fp32"}, .batches = {0}}) ==
        "error: a dimension of 'x' [batch, width] is 0: batch with batch = 0" + hint);
  CHECK(complaint({.precisions = {"fp32"}, .batches = {-1}}) ==
        "error: a dimension of 'x' [batch, width] is -1: batch with batch = -1" + hint);
}

TEST_CASE("estimate: unknown symbols and overflow are errors") {
  CHECK(complaint({.symbols = {{"widht", 4}}}) ==
        "error: model 'net' has no symbol 'widht'\n  hint: did you mean 'width'?\n");
  CHECK(complaint({.precisions = {"fp32"}, .batches = {std::int64_t{1} << 62}})
            .starts_with("error: the sizes of model 'net' overflow 64 bits or divide by zero with "));
}

// A batch that follows from other symbols is still the batch of each row.
TEST_CASE("estimate: rows of a derived batch symbol are what they say") {
  const std::string derived = model_head("micro = 2\nbatch = \"2 * micro\"") +
                              input("x", "\"batch\", 1048576") + node("r", "relu", "\"x\"");
  const AnswerGroup answer = group({.precisions = {"fp32"}, .batches = {1, 64}}, derived);

  REQUIRE(answer.rows.size() == 2);
  CHECK(answer.rows[1].memory.needed.value == 64 * answer.rows[0].memory.needed.value);
}

TEST_CASE("estimate: a size that makes no sense is left out, the others are answered") {
  const AnswerGroup answer = group({.precisions = {"fp32"}, .batches = {1, std::int64_t{1} << 62}});

  CHECK(answer.rows.size() == 1);
  REQUIRE(answer.skipped.size() == 1);
  CHECK(answer.skipped[0].starts_with(
      "fp32, batch 4611686018427387904: the sizes of model 'net' overflow 64 bits"));
}

TEST_CASE("estimate: some input has to depend on 'batch'") {
  CHECK(complaint({}, model_head("batch = 1\nn = 2") + input("x", "\"n\", 8") + node("r", "relu", "\"x\""))
            .starts_with("m.toml: error: no input of the model depends on its symbol 'batch'\n"));
}

TEST_CASE("estimate: the same request twice has the same answer") {
  const AnswerGroup first = group({});
  const AnswerGroup second = group({});

  REQUIRE(first.rows.size() == second.rows.size());
  for (std::size_t i = 0; i < first.rows.size(); ++i) {
    CHECK(first.rows[i].precision == second.rows[i].precision);
    CHECK(first.rows[i].latency->p50 == second.rows[i].latency->p50);
    CHECK(first.rows[i].memory.needed == second.rows[i].memory.needed);
  }
}

TEST_CASE("assumptions: name the runtime") {
  const auto lines = assumptions(load(text), toy_platform(), {.task = Task::training});

  CHECK(lines.at(1) == "Runtime toy: Toy runtime; attention is one fused kernel.");
}

// 2 layers of attention with keys and values of 64 values, cached: 2 * 2 * 64 * 4 bytes a token in fp32.
std::string decoder(std::string_view more = {}) {
  return model_head("batch = 1\nseq = 16\npast = 0\ncached = 0\nprompt = 1024\ncontext = 1048575",
                    fmt::format("tokens = \"seq\"\n{}", more)) +
         "[phase.prefill]\nseq = \"prompt\"\ncached = 1\n"
         "[phase.decode]\nseq = 1\npast = \"context\"\ncached = 1\n" +
         input("x", "\"batch\", \"seq\", 64") + node("layers", "layer", "\"x\"", "repeat = 2") +
         block("layer") + block_node("keys", "kv_cache", "\"x\"", "past = \"past\"\ncached = \"cached\"") +
         block_node("attention", "attention", "\"x\", \"keys\", \"keys\"", "heads = 2\ncausal = true") +
         block_node("fc", "linear", {}, "out_features = 64\nbias = false");
}

TEST_CASE("estimate: a model with phases has rows for each, of the same batches") {
  const AnswerGroup answer = group({.precisions = {"fp32"}, .batches = {1, 2}}, decoder());

  REQUIRE(answer.rows.size() == 4);
  CHECK(answer.rows[0].phase == "prefill");
  CHECK(answer.rows[1].phase == "prefill");
  CHECK(answer.rows[2].phase == "decode");
  CHECK(answer.rows[3].batch == 2);
  CHECK(answer.phase == "decode");
}

TEST_CASE("estimate: tokens of a phase are those that it is about") {
  const AnswerGroup answer = group({.precisions = {"fp32"}, .batches = {4}}, decoder());
  const AnswerRow& prefill = answer.rows.at(0);
  const AnswerRow& decode = answer.rows.at(1);

  CHECK(*prefill.tokens_per_second == close_to(4 * 1024 / prefill.latency->p50.count(), 1e-9));
  CHECK(*decode.tokens_per_second == close_to(4 / decode.latency->p50.count(), 1e-9));
}

TEST_CASE("estimate: the cache limits the batch, and the batch must fit in every phase") {
  const AnswerGroup answer = group({.precisions = {"fp32"}}, decoder());

  // 2 layers, 2^20 tokens, 64 values of 4 bytes: half a GiB a sequence of 8 GiB, less what else there is
  for (const AnswerRow& row : answer.rows) CHECK(row.batch <= 15);
  CHECK(answer.rows.back().batch == 15);
  CHECK(answer.rows.back().memory[MemoryCategory::kv_cache].value == 15.0 * 2 * 1048576 * 64 * 4);
  CHECK(answer.rows[*answer.recommended].phase == "decode");
}

TEST_CASE("estimate: phases may be chosen; training has none") {
  CHECK(group({.precisions = {"fp32"}, .batches = {1}, .phases = {"prefill"}}, decoder()).phase == "prefill");
  const AnswerGroup plain = group({.precisions = {"fp32"}, .batches = {1}, .phases = {"forward"}}, decoder());
  CHECK(plain.rows.at(0).phase == "forward");
  CHECK(plain.rows[0].memory[MemoryCategory::kv_cache].value == 0);
  CHECK(group({.task = Task::training, .precisions = {"fp32"}, .batches = {1}}, decoder()).rows.at(0).phase ==
        "step");
  CHECK(complaint({.task = Task::training, .phases = {"decode"}}, decoder()) ==
        "error: training has no phases: it is one step\n  hint: leave out --phase\n");
  CHECK(complaint({.phases = {"decode"}}) ==
        "error: model 'net' has no phase 'decode'\n  hint: it has forward\n");
}

TEST_CASE("estimate: a model that stores quantised weights is run so, and in 16 bits to compare") {
  const AnswerGroup answer = group({.batches = {1}}, decoder("weight_format = \"w4a16\"\nweight_group = 32"));

  REQUIRE(answer.rows.size() == 4);
  CHECK(answer.rows[0].precision == "w4a16-g32");
  CHECK(answer.rows[0].as_stored);
  CHECK(answer.rows[1].precision == "bf16");
  // fc: 2 * 64 * 64 weights of half a byte, and 20 bits for each 32 of them
  CHECK(answer.rows[0].memory[MemoryCategory::weights].value == 2 * (64 * 64 / 2 + 64 * 64 / 32 * 20 / 8));
  CHECK(answer.rows[*answer.recommended].precision == "w4a16-g32");
}

TEST_CASE("estimate: a stored format without arithmetic on the card is for weights alone") {
  Platform platform = toy_platform();
  platform.device.operations_per_clock_per_sm[static_cast<std::size_t>(Arithmetic::tensor_int8)].reset();
  const std::string model = decoder("weight_format = \"int8\"");

  CHECK(group({.batches = {1}}, model).rows.at(0).precision == "int8");
  CHECK(group({.batches = {1}}, model, platform).rows.at(0).precision == "int8-weights");
  CHECK(group({.precisions = {"fp16"}, .batches = {1}}, model).rows.at(0).precision == "fp16");
}

}  // namespace
}  // namespace roofcast
