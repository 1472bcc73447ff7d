// A sweep: many configurations of one model, time and memory both. With the evaluator alone, and as users run
// it.

#include <benchmark/benchmark.h>

#include <numeric>

#include "engine/base/threads.hpp"
#include "engine/decide/estimate.hpp"
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

// 100,000 batch sizes as rows of an answer, on as many threads as the argument says.
void answer_100000(benchmark::State& state, const std::string& name, const std::string& phase) {
  const ThreadLimit limit(static_cast<std::size_t>(state.range(0)));
  const Graph graph = model(name);
  const Platform on = platform("a100-sxm4-80gb");
  Request request{.precisions = {"fp16"}, .phases = {phase}};
  request.batches.resize(100'000);
  std::iota(request.batches.begin(), request.batches.end(), 1);
  for ([[maybe_unused]] auto round : state) benchmark::DoNotOptimize(require(estimate(graph, on, request)));
  state.SetItemsProcessed(state.iterations() * std::ssize(request.batches));
}

BENCHMARK_CAPTURE(answer_100000, bert, "bert.toml", "forward")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(answer_100000, llama_2_7b_decode, "llama-2-7b.toml", "decode")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep_100000, bert_inference, "bert.toml", Task::inference)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep_100000, bert_training, "bert.toml", Task::training)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep_100000, llama_2_7b_inference, "llama-2-7b.toml", Task::inference)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace roofcast::bench
