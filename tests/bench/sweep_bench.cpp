// A sweep as users run it: many configurations of one model, time and memory both, on one thread.

#include <benchmark/benchmark.h>

#include "engine/predict.hpp"
#include "tests/bench/bench_data.hpp"

namespace roofcast::bench {
namespace {

// 250 batch sizes x 400 sequence lengths, all distinct.
void sweep_100000(benchmark::State& state, const std::string& name, Task task) {
  const Graph graph = model(name);
  const Platform on = platform("a100-sxm4-80gb");
  const CompiledProgram compiled = require(compile(graph, {.task = task, .runtime = on.runtime}));
  Evaluator evaluator(compiled, on.device, on.runtime, on.priors);
  std::vector<std::int64_t> values = require(input_values(compiled, {}));
  const std::size_t batch = input_index(compiled, "batch");
  const std::size_t seq = input_index(compiled, "seq");
  for ([[maybe_unused]] auto round : state) {
    Seconds total{};
    for (std::int64_t b = 1; b <= 250; ++b) {
      for (std::int64_t s = 1; s <= 400; ++s) {
        values[batch] = b;
        values[seq] = s;
        total += evaluator.evaluate(values)->time.p50;
      }
    }
    benchmark::DoNotOptimize(total);
  }
  constexpr std::int64_t configurations = 250 * 400;
  state.SetItemsProcessed(configurations * state.iterations());
}

BENCHMARK_CAPTURE(sweep_100000, bert_inference, "bert.toml", Task::inference)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep_100000, bert_training, "bert.toml", Task::training)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep_100000, llama_2_7b_inference, "llama-2-7b.toml", Task::inference)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace roofcast::bench
