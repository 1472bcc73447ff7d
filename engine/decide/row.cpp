#include "engine/decide/row.hpp"

#include <fmt/format.h>

#include "engine/decide/precisions.hpp"

namespace roofcast {

CompileOptions compile_options(const Platform& platform, const Request& request,
                               const PrecisionPolicy& policy) {
  CompileOptions options{.task = request.task,
                         .precision = policy,
                         .runtime = platform.runtime,
                         .optimizer = request.optimizer,
                         .overridden = request.symbols};
  options.overridden["batch"] = 1;  // bound anew for each row, even where the model derives it
  return options;
}

AnswerRow answer_row(const PhaseModel& model, const Platform& platform, const Request& request,
                     const PrecisionPolicy& policy, std::int64_t batch, const Prediction& prediction) {
  AnswerRow row{.hw = platform.device.slug,
                .model = model.graph.name,
                .task = request.task,
                .phase = model.phase,
                .precision = policy.name,
                .runtime = platform.runtime.name,
                .batch = batch,
                .global_batch = batch,
                .memory = prediction.memory,
                .evidence = prediction.evidence,
                .quantized = policy.quantized(),
                .as_stored = is_stored(model.graph, policy)};
  if (request.task == Task::training) row.optimizer = to_string(request.optimizer);
  for (const Symbol& symbol : model.graph.symbols) {
    if (symbol.free() && !symbol.from_config) row.symbols[symbol.name] = symbol.definition.constant();
  }
  for (const auto& [name, value] : request.symbols) row.symbols[name] = value;
  row.symbols["batch"] = batch;
  if (prediction.memory.fits == Fit::no) {
    row.notes.push_back(fmt::format("needs {:.1f} GiB of {:.1f} GiB", as_gibibytes(prediction.memory.needed),
                                    as_gibibytes(prediction.memory.usable)));
    return row;
  }
  row.latency = prediction.time;
  row.throughput = static_cast<double>(batch) / prediction.time.p50.count();
  row.bound = prediction.bound();
  row.bound_share = prediction.bound_share();
  if (prediction.tokens_per_sample > 0)
    row.tokens_per_second = *row.throughput * prediction.tokens_per_sample;
  constexpr double million = 1e6;
  if (platform.price) {
    row.price = platform.price;
    const Usd per_sample = platform.price->per_gpu * (prediction.time.p50 / static_cast<double>(batch));
    row.usd_per_million_samples = million * per_sample.value;
    if (prediction.tokens_per_sample > 0) {
      row.usd_per_million_tokens = *row.usd_per_million_samples / prediction.tokens_per_sample;
    }
  }
  if (row.bound == Bound::launch)
    row.notes.emplace_back("launches take most of the time: a larger batch costs little");
  if (row.as_stored)
    row.notes.push_back(fmt::format("weights as the model's file has them ({})", model.graph.stored->method));
  if (row.quantized && !row.as_stored)
    row.notes.emplace_back("quantised weights: measure whether the model stays good enough");
  return row;
}

}  // namespace roofcast
