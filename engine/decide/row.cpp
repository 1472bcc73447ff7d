#include "engine/decide/row.hpp"

#include <fmt/format.h>

#include "engine/decide/input_supply.hpp"
#include "engine/decide/precisions.hpp"

namespace roofcast {

CompileOptions compile_options(const Platform& platform, const Request& request,
                               const PrecisionPolicy& policy) {
  CompileOptions options{.task = request.task,
                         .precision = policy,
                         .runtime = platform.runtime,
                         .optimizer = request.optimizer,
                         .channels_last = request.channels_last,
                         .overridden = request.symbols};
  options.overridden["batch"] = 1;  // bound anew for each row, even where the model derives it
  return options;
}

namespace {

constexpr double worth_a_note = 0.1;  // of the time

// The inputs of a step come from outside, those of a decoding step from the one before.
Prediction supplied(const PhaseModel& model, const Platform& platform, const Request& request,
                    std::int64_t batch, const Prediction& prediction) {
  return model.phase == "decode" ? prediction : with_input(prediction, request.input, batch, platform.device);
}

void note_input(AnswerRow& row, const Request& request, const Prediction& alone, const Prediction& prediction,
                const Device& device) {
  const Seconds copy = request.input.copied ? input_copy(alone.input, device).value_or(Seconds{}) : Seconds{};
  const Seconds waited = prediction.time.p50 - alone.time.p50 - copy;
  if (request.input.samples_per_second && waited.count() > 0) {
    row.notes.push_back(fmt::format(
        "the input pipeline is the limit: it delivers {:.4g} samples/s, the card could take {:.4g}",
        *request.input.samples_per_second, static_cast<double>(row.batch) / (alone.time.p50 + copy).count()));
  }
  const double share = copy / prediction.time.p50;
  if (share >= worth_a_note) {
    row.notes.push_back(fmt::format("copying the inputs to the card ({:.3g} MB) takes {:.0f}% of the time",
                                    alone.input.value / 1e6, 100 * share));
  }
}

void note_host_and_power(AnswerRow& row, const Prediction& prediction) {
  if (row.waiting_share >= worth_a_note) {
    row.notes.push_back(fmt::format("{}kernels wait for their launches {:.0f}% of the time",
                                    row.bound == Bound::launch ? "limited by the host: " : "",
                                    100 * row.waiting_share));
  }
  if (row.bound == Bound::launch)
    row.notes.emplace_back("launches take most of the time: a larger batch costs little");
  if (prediction.power > 1) {
    row.notes.push_back(
        fmt::format("the power limit slows arithmetic: at full clock the kernels would draw {:.2f} times "
                    "what the board may",
                    prediction.power));
  }
}

}  // namespace

AnswerRow answer_row(const PhaseModel& model, const Platform& platform, const Request& request,
                     const PrecisionPolicy& policy, std::int64_t batch, const Prediction& alone) {
  const Prediction prediction = supplied(model, platform, request, batch, alone);
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
  row.waiting_share = prediction.waiting_share();
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
  note_input(row, request, alone, prediction, platform.device);
  note_host_and_power(row, prediction);
  if (row.as_stored)
    row.notes.push_back(fmt::format("weights as the model's file has them ({})", model.graph.stored->method));
  if (row.quantized && !row.as_stored)
    row.notes.emplace_back("quantised weights: measure whether the model stays good enough");
  return row;
}

}  // namespace roofcast
