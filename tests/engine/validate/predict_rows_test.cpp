#include "engine/validate/predict_rows.hpp"

#include <doctest/doctest.h>

#include <atomic>

#include "engine/base/threads.hpp"
#include "engine/predict.hpp"
#include "engine/validate/network_options.hpp"
#include "engine/validate/predict_operator.hpp"
#include "engine/validate/roofline.hpp"
#include "tests/close_to.hpp"
#include "tests/toy_model.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

MeasuredPlatforms toy_platforms() {
  return {.devices = {{"toy-8gb", toy_device()}},
          .runtimes = {{"toy", toy_runtime()}},
          .priors = {{"toy-8gb", toy_priors()}},
          .harnesses = {{"lab", Harness{.name = "lab"}}}};
}

// A layer of seq tokens, with a cache that its decode phase reads: 1024 multiply-adds for each of 1000 values
// of a token.
const std::string layer_text = model_head("batch = 1\nseq = 4\nprompt = 4\ncontext = 4", "tokens = \"seq\"") +
                               "[phase.prefill]\nseq = \"prompt\"\n[phase.decode]\nseq = 1\n" +
                               input("x", "\"batch\", \"seq\", 1024") +
                               node("fc", "linear", "\"x\"", "out_features = 1000\nbias = false");

OpenMeasuredModel toy_models(std::atomic<int>* opened = nullptr) {
  return [opened](const std::string& key, std::int64_t) -> Result<MeasuredModel> {
    if (opened != nullptr) ++*opened;
    if (key != "layer") return fail("unknown model '" + key + "'");
    return MeasuredModel{.graph = load(layer_text)};
  };
}

MeasuredRow network_row(NetworkRow row) {
  if (row.model.empty()) row.model = "layer";
  return {.source = "lab",
          .hardware = "toy",
          .device = "toy-8gb",
          .group = row.model,
          .runtime = "toy",
          .measured = Seconds{1},
          .what = std::move(row)};
}

Outcome outcome_of(const MeasuredRow& row, bool baseline = false) {
  const std::vector<MeasuredRow> rows = {row};
  return predict_rows(rows, toy_platforms(), toy_models(), {.baseline = baseline}).front();
}

std::string reason_of(const MeasuredRow& row) {
  const Outcome outcome = outcome_of(row);
  return outcome.time ? std::string{} : outcome.time.error().reason;
}

double seconds(const Outcome& outcome) {
  INFO("reason: ", outcome.time ? std::string("none") : outcome.time.error().detail);
  REQUIRE(outcome.time.has_value());
  return outcome.time->p50.count();
}

// 1 TFLOP/s in fp32 and 5 us a launch on the device; 1024 x 1000 multiply-adds a token.
double layer_seconds(double tokens) {
  return 2.0 * tokens * 1024 * 1000 / 1e12 + 5e-6;
}

TEST_CASE("predict_rows: a pass over a text has the row's batch and length") {
  const Outcome outcome = outcome_of(network_row({.batch = 16, .input_length = 64}));

  CHECK(seconds(outcome) == close_to(layer_seconds(16 * 64)));
}

TEST_CASE("predict_rows: phases have lengths of their own; generated text is a prompt and its tokens") {
  const NetworkRow row{.batch = 64, .input_length = 32, .output_length = 8};
  const auto time = [&](MeasuredPhase phase) {
    NetworkRow in_phase = row;
    in_phase.phase = phase;
    return seconds(outcome_of(network_row(in_phase)));
  };

  CHECK(time(MeasuredPhase::prefill) == close_to(layer_seconds(64 * 32)));
  CHECK(time(MeasuredPhase::mixed) ==
        close_to(time(MeasuredPhase::prefill) + 8 * time(MeasuredPhase::decode)));
}

TEST_CASE("predict_rows: each row without a prediction says why") {
  MeasuredRow row = network_row({});
  CHECK(reason_of(row).empty());
  row.runtime = "tensorrt";
  CHECK(reason_of(row) == "runtime:tensorrt");
  row.device.clear();
  CHECK(reason_of(row) == "device:toy");
  CHECK(reason_of(network_row({.model = "nobody's"})) == "model:nobody's");
  CHECK(reason_of(network_row({.adapter = "lora:r=16:q"})) == "adapter");
  CHECK(reason_of(network_row({.task = Task::training, .recomputes = true})) == "recomputation");
  CHECK(reason_of(network_row({.task = Task::training, .optimizer = "lion"})) == "optimizer:lion");
  CHECK(reason_of(network_row({.weight_format = "q9"})) == "weights:q9");
  CHECK(reason_of(network_row({.storage = DType::fp64, .compute = DType::fp4})) ==
        "no_arithmetic:fp64-in-fp4");
}

TEST_CASE("predict_rows: a model is opened once, and the number of threads changes nothing") {
  std::vector<MeasuredRow> rows;
  for (int i = 1; i <= 20; ++i) {
    rows.push_back(network_row({.model = i % 3 == 0 ? "other" : "layer", .batch = i, .tf32 = Tf32(i % 3)}));
  }
  std::atomic<int> opened{0};

  const auto on_threads = [&](std::size_t threads, const OpenMeasuredModel& open) {
    const ThreadLimit limit(threads);
    return predict_rows(rows, toy_platforms(), open);
  };
  const auto alone = on_threads(1, toy_models(&opened));
  const auto together = on_threads(4, toy_models());

  CHECK(opened == 2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(alone[i].time.has_value() == together[i].time.has_value());
    if (alone[i].time) CHECK(alone[i].time->p50 == together[i].time->p50);
  }
}

TEST_CASE("predict_rows: all rows are reported as done") {
  std::vector<MeasuredRow> rows = {network_row({}), network_row({.model = "nobody's"}), network_row({})};
  rows[2].device.clear();
  rows.push_back({.what = OperatorRow{.op = "relu", .precision = "fp32"}});
  std::atomic<std::size_t> done{0};

  predict_rows(rows, toy_platforms(), toy_models(), {.done = [&](std::size_t more) { done += more; }});

  CHECK(done == rows.size());
}

TEST_CASE("predict_operator: a large product at the peak, in each arithmetic") {
  const OperatorRow row{.op = "gemm", .precision = "fp32", .m = 4000, .n = 4000, .k = 4096};
  OperatorRow bf16 = row;
  bf16.precision = "bf16";
  Device without = toy_device();
  without.operations_per_clock_per_sm[static_cast<std::size_t>(Arithmetic::tensor_bf16)].reset();

  const Priors priors = toy_priors();
  const auto time = predict_operator(row, toy_device(), time_model(toy_device(), priors), {});
  const auto missing = predict_operator(bf16, without, time_model(without, priors), {});

  REQUIRE(time.has_value());
  CHECK(time->time.p50.count() == close_to(2.0 * 4000 * 4000 * 4096 / 1e12 + 5e-6));
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().reason == "no_arithmetic:bf16");
}

TEST_CASE("operator_sample: timings under sustained load are predicted, but no fit takes them") {
  MeasuredRow row{.source = "lab",
                  .measured = Seconds{1},
                  .what = OperatorRow{.op = "gemm", .precision = "fp32", .m = 64, .n = 64, .k = 64}};

  CHECK(operator_sample(row, toy_device(), {}));
  row.runtime = "calibrate-sustained";
  CHECK_FALSE(operator_sample(row, toy_device(), {}));
  const Priors priors = toy_priors();
  CHECK(
      predict_operator(std::get<OperatorRow>(row.what), toy_device(), time_model(toy_device(), priors), {}));
}

TEST_CASE("roofline: the longer of arithmetic and bytes, and no launch") {
  const OperatorRow copy{.op = "relu", .precision = "fp32", .m = 1000, .n = 125000};  // 2 x 0.5 GB at 1 TB/s
  const MeasuredRow row{.device = "toy-8gb", .what = copy};

  const Outcome outcome = outcome_of(row, true);
  const Outcome network = outcome_of(network_row({.batch = 1024, .input_length = 1}), true);

  REQUIRE(outcome.baseline.has_value());
  CHECK(outcome.baseline->count() == close_to(1e-3));
  REQUIRE(network.baseline.has_value());
  CHECK(network.baseline->count() == close_to(layer_seconds(1024) - 5e-6));
  CHECK_FALSE(outcome_of(row).baseline.has_value());
}

TEST_CASE("network_options: columns become options") {
  const auto options = [](const NetworkRow& row) {
    auto result = network_options(row, toy_runtime());
    REQUIRE(result.has_value());
    return *std::move(result);
  };

  const CompileOptions mixed = options({.task = Task::training,
                                        .compute = DType::fp16,
                                        .tf32 = Tf32::on,
                                        .optimizer = "sgd-momentum",
                                        .attention = AttentionKind::written_out});
  CHECK(mixed.task == Task::training);
  CHECK(mixed.precision.autocast);
  CHECK(mixed.precision.tf32_matmul);
  CHECK(mixed.precision.tf32_convolution);
  CHECK(mixed.optimizer == Optimizer::momentum);
  CHECK_FALSE(mixed.runtime.fused_attention);

  const CompileOptions half = options({.storage = DType::fp16, .compute = DType::fp16, .optimizer = "none"});
  CHECK_FALSE(half.precision.autocast);
  CHECK(half.precision.storage == DType::fp16);
  CHECK(half.optimizer == Optimizer::none);
  CHECK(half.runtime.fused_attention == toy_runtime().fused_attention);

  CHECK_FALSE(options({.tf32 = Tf32::convolutions}).precision.tf32_matmul);
  CHECK(options({.tf32 = Tf32::convolutions}).precision.tf32_convolution);
  CHECK(options({.storage = DType::fp16, .compute = DType::fp16, .weight_format = "nf4"})
            .precision.weight_format == DType::int4);
  CHECK(options({.kv_format = "fp8"}).precision.kv_cache == DType::fp8);
}

}  // namespace
}  // namespace roofcast
