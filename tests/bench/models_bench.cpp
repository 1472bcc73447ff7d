// What a single answer consists of: reading a model, compiling it, one configuration.

#include <benchmark/benchmark.h>

#include "engine/predict.hpp"
#include "tests/bench/bench_data.hpp"

namespace roofcast::bench {
namespace {

void load_model_file(benchmark::State& state, const std::string& name) {
  const std::string text = model_text(name);
  for ([[maybe_unused]] auto round : state) benchmark::DoNotOptimize(load_model(text, name));
}

void compile_model(benchmark::State& state, const std::string& name, Task task) {
  const Graph graph = model(name);
  const CompileOptions options{.task = task, .runtime = platform("a100-sxm4-80gb").runtime};
  for ([[maybe_unused]] auto round : state) benchmark::DoNotOptimize(compile(graph, options));
}

// Batch and another size go through 512 x 2048 pairs, so that no two configurations in a row are the same.
void evaluate_one(benchmark::State& state, const std::string& name, Task task, const std::string& other) {
  const Graph graph = model(name);
  const Platform on = platform("a100-sxm4-80gb");
  const CompiledProgram compiled = require(compile(graph, {.task = task, .runtime = on.runtime}));
  Evaluator evaluator(compiled, on.device, on.runtime, on.priors);
  std::vector<std::int64_t> values = require(input_values(compiled, {}));
  const std::size_t batch = input_index(compiled, "batch");
  const std::size_t size = input_index(compiled, other);
  std::int64_t round_number = 0;
  for ([[maybe_unused]] auto round : state) {
    values[batch] = 1 + round_number % 512;
    values[size] = 64 + (round_number / 512) % 2048;
    ++round_number;
    const auto prediction = evaluator.evaluate(values);
    if (!prediction) state.SkipWithError("a configuration was refused");
    benchmark::DoNotOptimize(prediction);
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(load_model_file, bert, "bert.toml");
BENCHMARK_CAPTURE(load_model_file, resnet50, "resnet50.toml");
BENCHMARK_CAPTURE(compile_model, bert_inference, "bert.toml", Task::inference);
BENCHMARK_CAPTURE(compile_model, bert_training, "bert.toml", Task::training);
BENCHMARK_CAPTURE(compile_model, resnet50_training, "resnet50.toml", Task::training);
BENCHMARK_CAPTURE(evaluate_one, bert_inference, "bert.toml", Task::inference, "seq");
BENCHMARK_CAPTURE(evaluate_one, bert_training, "bert.toml", Task::training, "seq");
BENCHMARK_CAPTURE(evaluate_one, llama_2_7b_inference, "llama-2-7b.toml", Task::inference, "seq");
BENCHMARK_CAPTURE(evaluate_one, resnet50_inference, "resnet50.toml", Task::inference, "image_size");

}  // namespace
}  // namespace roofcast::bench
