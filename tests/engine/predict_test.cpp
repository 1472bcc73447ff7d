#include "engine/predict.hpp"

#include <doctest/doctest.h>

#include "tests/close_to.hpp"
#include "tests/toy_model.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// 1000 x 1000 x 1024 multiply-adds in fp32 at 1 TFLOP/s: 2.048 ms; relu: 8 MB at 1 TB/s: 8 us.
const std::string text = model_head("batch = 1000", "tokens = 7") + input("x", "\"batch\", 1024") +
                         node("fc", "linear", "\"x\"", "out_features = 1000\nbias = false") +
                         node("act", "relu");

Prediction predicted(const Priors& priors, const CompileOptions& options = {}) {
  const auto compiled = compile(load(text), options);
  REQUIRE(compiled.has_value());
  const Device device = toy_device();
  const Runtime runtime = toy_runtime();
  Evaluator evaluator(*compiled, device, runtime, priors);
  auto prediction = evaluator.evaluate(Bindings{});
  REQUIRE(prediction.has_value());
  return *std::move(prediction);
}

TEST_CASE("evaluate: time is the sum of the kernels'") {
  const double gemm = 2.0 * 1000 * 1000 * 1024 / 1e12;
  const double relu = 2.0 * 4 * 1000 * 1000 / 1e12;

  CHECK(predicted(toy_priors()).time.p50.count() == close_to(gemm + relu + 2 * 5e-6));
}

TEST_CASE("evaluate: the range is that of the kernels, sides apart") {
  Priors priors = toy_priors();
  for (GemmParameters& gemm : priors.kernels.gemm) gemm.spread = {0.5, 1.5};
  for (StreamParameters& stream : priors.kernels.stream) stream.spread = {0.5, 1.5};

  // Errors of the two families are independent, so that the range is narrower than either's; the product is
  // nearly all.
  const TimeRange time = predicted(priors).time;

  CHECK(time.p10.count() > 0.5 * time.p50.count());
  CHECK(time.p10.count() < 0.51 * time.p50.count());
  CHECK(time.p90.count() < 1.5 * time.p50.count());
  CHECK(time.p90.count() > 1.49 * time.p50.count());
}

TEST_CASE("evaluate: what limits it, and the parts sum to the whole") {
  const Prediction prediction = predicted(toy_priors());
  Seconds total{};
  for (const Seconds part : prediction.time_by_bound) total += part;

  CHECK(total.count() == close_to(prediction.time.p50.count()));
  CHECK(prediction.bound() == Bound::compute);
  CHECK(prediction.bound_share() > 0.9);
  CHECK(predicted(toy_priors(), {.precision = *find_precision("fp16")}).bound() == Bound::compute);
  CHECK(prediction.tokens_per_sample == 7);
}

TEST_CASE("evaluate: an attention written out costs more time and memory than a fused one") {
  const std::string attention = model_head() + input("q", "\"batch\", 512, 64") +
                                node("attention", "attention", "\"q\", \"q\", \"q\"", "heads = 4");
  const auto run = [&](bool fused) {
    Runtime runtime = toy_runtime();
    runtime.fused_attention = fused;
    const auto compiled = compile(load(attention), CompileOptions{.runtime = runtime});
    const Device device = toy_device();
    const Priors priors = toy_priors();
    return Evaluator(*compiled, device, runtime, priors).evaluate(Bindings{}).value();
  };

  CHECK(run(false).time.p50 > run(true).time.p50);
  CHECK(run(false).memory.needed > run(true).memory.needed);
}

TEST_CASE("evaluate: values in a row give what bindings give") {
  const auto compiled = compile(load(text), CompileOptions{});
  const Device device = toy_device();
  const Runtime runtime = toy_runtime();
  const Priors priors = toy_priors();
  Evaluator evaluator(*compiled, device, runtime, priors);
  const std::vector<std::int64_t> values{8};

  CHECK(evaluator.evaluate(values)->time.p50 == evaluator.evaluate(Bindings{{"batch", 8}})->time.p50);
  CHECK_FALSE(evaluator.evaluate(std::vector<std::int64_t>{0}).has_value());
  CHECK(evaluator.memory({{"batch", 8}})->needed == evaluator.evaluate(values)->memory.needed);
}

}  // namespace
}  // namespace roofcast
