// What grows with the batch, and what sums to the whole.

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/close_to.hpp"
#include "tests/laws/random_graph.hpp"
#include "tests/laws/random_platform.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20260711;

Setting with_batch(Setting setting, std::int64_t batch) {
  setting.symbols["batch"] = batch;
  return setting;
}

template <class Check>
void for_random_models(int count, const Check& check) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) {
    const std::string text = RandomModel(random).any();
    const Platform platform = random_platform(random);
    const Setting& setting = all_settings()[static_cast<std::size_t>(i) % all_settings().size()];
    INFO("seed ", seed, ", model ", i, ", ", setting.precision, "\n", text);
    check(load(text), platform, setting);
  }
}

TEST_CASE("law: memory and time do not fall when the batch doubles, throughput does not fall either") {
  for_random_models(60, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const Outcome small = run(graph, platform, with_batch(setting, 4));
    const Outcome large = run(graph, platform, with_batch(setting, 8));
    CHECK(large.needed() >= small.needed());
    CHECK(large.seconds() >= small.seconds());
    CHECK(large.seconds() <= 2 * small.seconds() * (1 + 1e-12));
  });
}

TEST_CASE("law: parameters and their memory do not depend on the batch") {
  for_random_models(30, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const Outcome small = run(graph, platform, with_batch(setting, 4));
    const Outcome large = run(graph, platform, with_batch(setting, 8));
    CHECK(small.parameters() == large.parameters());
    CHECK(small.prediction.memory[MemoryCategory::weights] ==
          large.prediction.memory[MemoryCategory::weights]);
    CHECK(small.prediction.memory[MemoryCategory::optimizer_state] ==
          large.prediction.memory[MemoryCategory::optimizer_state]);
  });
}

TEST_CASE("law: MACs are proportional to the batch") {
  for_random_models(30, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const Outcome once = run(graph, platform, with_batch(setting, 3));
    const Outcome twice = run(graph, platform, with_batch(setting, 6));
    CHECK(twice.macs() == 2 * once.macs());
  });
}

TEST_CASE("law: categories sum to what is needed, and none is negative") {
  for_random_models(60, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const MemoryPlan memory = run(graph, platform, setting).prediction.memory;
    Bytes total{};
    for (const Bytes part : memory.by_category) {
      CHECK(part.value >= 0);
      total += part;
    }
    CHECK(total.value == close_to(memory.needed.value, 1e-12));
    CHECK(memory.reserved + platform.runtime.context >= memory.needed);
    CHECK(memory.device >= memory.needed);
  });
}

TEST_CASE("law: what is needed is at least weights, inputs and the largest tensor") {
  for_random_models(60, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const Outcome outcome = run(graph, platform, setting);
    double largest = 0;
    for (const ProgramTensor& tensor : outcome.program.program.tensors) {
      if (tensor.role != TensorRole::activation) continue;
      Bindings bindings;
      for (const Symbol& symbol : graph.symbols)
        bindings[symbol.name] = *symbol.definition.evaluate(bindings);
      largest = std::max(largest, static_cast<double>(*tensor.bytes.evaluate(bindings)));
    }
    CHECK(outcome.needed() >=
          outcome.value(outcome.program.weight_bytes) + outcome.value(outcome.program.input_bytes));
    CHECK(outcome.prediction.memory[MemoryCategory::activations].value +
              outcome.prediction.memory[MemoryCategory::gradients].value +
              outcome.prediction.memory[MemoryCategory::workspace].value >=
          largest);
  });
}

TEST_CASE("law: parts of the time sum to the whole") {
  for_random_models(30, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const Prediction prediction = run(graph, platform, setting).prediction;
    Seconds total{};
    for (const Seconds part : prediction.time_by_bound) total += part;
    CHECK(total.count() == close_to(prediction.time.p50.count()));
    CHECK(prediction.bound_share() <= 1 + 1e-12);
    CHECK(prediction.bound_share() >= 1.0 / 3 - 1e-12);
  });
}

TEST_CASE("law: 16-bit inference needs no more memory than fp32") {
  for_random_models(30, [](const Graph& graph, const Platform& platform, const Setting& /*setting*/) {
    CHECK(run(graph, platform, {.precision = "fp16"}).needed() <=
          run(graph, platform, {.precision = "fp32"}).needed());
  });
}

}  // namespace
}  // namespace roofcast
