#include "engine/validate/predict_networks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/threads.hpp"
#include "engine/graph/serving_phase.hpp"
#include "engine/predict.hpp"
#include "engine/validate/network_options.hpp"
#include "engine/validate/roofline.hpp"
#include "engine/validate/split.hpp"

namespace roofcast {
namespace {

/// Rows of one model at one image size, and what is made of it only once.
struct Job {
  std::string model{};
  std::int64_t image_size = 0;
  std::vector<std::size_t> rows{};
};

// What keeps a row from being predicted whatever its model is.
std::optional<Unpredicted> missing_platform(const MeasuredRow& row, const MeasuredPlatforms& platforms) {
  if (!platforms.devices.contains(row.device)) return Unpredicted{"device:" + row.hardware, {}};
  if (!platforms.runtimes.contains(row.runtime)) return Unpredicted{"runtime:" + row.runtime, {}};
  return std::nullopt;
}

std::vector<Job> jobs_of(std::span<const MeasuredRow> rows, std::span<const std::size_t> which) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<std::size_t>> models;
  for (const std::size_t index : which) {
    const auto& row = std::get<NetworkRow>(rows[index].what);
    models[{row.model, row.image_size}].push_back(index);
  }
  std::vector<Job> jobs;
  for (auto& [key, indices] : models) jobs.push_back({key.first, key.second, std::move(indices)});
  // Long ones first, so that no thread is left with one at the end.
  std::ranges::stable_sort(jobs, std::greater{}, [](const Job& job) { return job.rows.size(); });
  return jobs;
}

/// A pass that happens `times` times in what was measured.
struct Pass {
  std::string phase{};
  Bindings symbols{};
  double times = 1;
};

bool has_symbol(const Graph& model, std::string_view name) {
  return std::ranges::find(model.symbols, name, &Symbol::name) != model.symbols.end();
}

bool has_phase(const Graph& model, std::string_view name) {
  return std::ranges::find(model.phases, name, &ServingPhase::name) != model.phases.end();
}

Predicted<Pass> whole_pass(const NetworkRow& row, const Graph& model) {
  Pass pass{.phase = std::string(plain_phase)};
  if (row.input_length == 0) return pass;
  for (const char* name : {"seq", "frames"}) {
    if (!has_symbol(model, name)) continue;
    pass.symbols[name] = row.input_length;
    return pass;
  }
  return no_prediction("no_length_symbol", "the model has no symbol 'seq'");
}

Predicted<Pass> prefill_pass(const NetworkRow& row, const Graph& model) {
  if (!has_phase(model, "prefill")) return whole_pass(row, model);
  Pass pass{.phase = "prefill"};
  if (row.input_length > 0) pass.symbols["prompt"] = row.input_length;
  return pass;
}

// All tokens as the one in the middle: a step's time is close to linear in what is cached.
Predicted<Pass> decode_pass(const NetworkRow& row, const Graph& model) {
  if (!has_phase(model, "decode")) return no_prediction("no_decode_phase");
  const std::int64_t cached = row.input_length + row.output_length / 2;
  return Pass{.phase = "decode", .symbols = {{"context", std::max<std::int64_t>(cached, 1)}}};
}

Predicted<std::vector<Pass>> passes_of(const NetworkRow& row, const Graph& model) {
  const auto one = [](Predicted<Pass> pass) -> Predicted<std::vector<Pass>> {
    if (!pass) return tl::make_unexpected(pass.error());
    return std::vector{*std::move(pass)};
  };
  if (row.task == Task::training) return one(whole_pass(row, model));
  switch (row.phase) {
    case MeasuredPhase::whole: return one(whole_pass(row, model));
    case MeasuredPhase::prefill: return one(prefill_pass(row, model));
    case MeasuredPhase::decode: return one(decode_pass(row, model));
    case MeasuredPhase::mixed: break;
  }
  auto prefill = prefill_pass(row, model);
  if (!prefill) return tl::make_unexpected(prefill.error());
  auto decode = decode_pass(row, model);
  if (!decode) return tl::make_unexpected(decode.error());
  decode->times = static_cast<double>(row.output_length);
  return std::vector{*std::move(prefill), *std::move(decode)};
}

/// Everything that decides the program, as text. Rows with equal keys share it.
std::string program_key(const MeasuredRow& measured, const Pass& pass) {
  const auto& row = std::get<NetworkRow>(measured.what);
  std::string key = fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(row.task),
                                static_cast<int>(row.storage), static_cast<int>(row.compute),
                                static_cast<int>(row.tf32), row.weight_format, row.kv_format, row.optimizer,
                                row.adapter, row.recomputes, static_cast<int>(row.attention),
                                static_cast<int>(row.layout), measured.runtime, pass.phase);
  for (const auto& [name, value] : pass.symbols) key += " " + name;
  return key;
}

std::string first_message(const Diagnostics& problems) {
  return problems.empty() ? std::string{} : problems.front().message;
}

struct CompiledPass {
  CompileOptions options{};
  CompiledProgram program{};
};

/// One model with its programs.
class ModelPredictor {
 public:
  ModelPredictor(MeasuredModel model, const MeasuredPlatforms& platforms, bool baseline)
      : model_(std::move(model)), platforms_(platforms), baseline_(baseline) {}

  Outcome predict(const MeasuredRow& measured) {
    Outcome outcome;
    outcome.time = predict_time(measured, outcome.baseline);
    return outcome;
  }

  /// What the row's passes consist of, for fits.
  Predicted<NetworkSample> sample(const MeasuredRow& measured) {
    const auto ready = ready_passes(measured);
    if (!ready) return tl::make_unexpected(ready.error());
    NetworkSample sample{.device = measured.device,
                         .machine = machine_of(platforms_.devices.find(measured.device)->second),
                         .measured = measured.measured,
                         .source = measured.source,
                         .fold = fold_of(measured.source, measured.group)};
    for (const ReadyPass& pass : *ready) {
      const auto slots = slot_values(pass.compiled->program, pass.bindings);
      if (!slots) return no_prediction("sizes", first_message(slots.error()));
      sample.passes.push_back({.kernels = step_kernels(pass.compiled->program, *slots),
                               .host = host_work(pass.compiled->program, *slots),
                               .times = pass.times});
      sample.runtime = pass.compiled->options.runtime;
    }
    return sample;
  }

 private:
  struct ReadyPass {
    const CompiledPass* compiled = nullptr;
    Bindings bindings{};
    double times = 1;
  };

  Predicted<std::vector<ReadyPass>> ready_passes(const MeasuredRow& measured) {
    const auto& row = std::get<NetworkRow>(measured.what);
    const auto runtime = platforms_.runtimes.find(measured.runtime);
    const auto device = platforms_.devices.find(measured.device);
    auto passes = passes_of(row, model_.graph);
    if (!passes) return tl::make_unexpected(passes.error());
    std::vector<ReadyPass> ready;
    for (Pass& pass : *passes) {
      pass.symbols.insert(model_.symbols.begin(), model_.symbols.end());
      const auto compiled = program(measured, pass, runtime->second);
      if (!compiled) return tl::make_unexpected(compiled.error());
      if (!device->second.supports((*compiled)->options.precision)) {
        return no_prediction("no_arithmetic:" + (*compiled)->options.precision.name, measured.device);
      }
      Bindings bindings = pass.symbols;
      bindings["batch"] = row.batch;
      ready.push_back({*compiled, std::move(bindings), pass.times});
    }
    return ready;
  }

  Predicted<TimeRange> predict_time(const MeasuredRow& measured, std::optional<Seconds>& baseline) {
    const auto ready = ready_passes(measured);
    if (!ready) return tl::make_unexpected(ready.error());
    const Device& device = platforms_.devices.find(measured.device)->second;
    const Priors& priors = platforms_.priors.find(measured.device)->second;
    TimeRange sum;
    Seconds plain{};
    for (const ReadyPass& pass : *ready) {
      const CompiledPass& compiled = *pass.compiled;
      Evaluator evaluator(compiled.program, device, compiled.options.runtime, priors);
      const auto prediction = evaluator.evaluate(pass.bindings);
      if (!prediction)
        return no_prediction("sizes:" + std::get<NetworkRow>(measured.what).model,
                             first_message(prediction.error()));
      sum.p10 += pass.times * prediction->time.p10;
      sum.p50 += pass.times * prediction->time.p50;
      sum.p90 += pass.times * prediction->time.p90;
      if (!baseline_) continue;
      if (const auto slots = slot_values(compiled.program, pass.bindings))
        plain += pass.times * roofline(compiled.program, *slots, device);
    }
    if (baseline_) baseline = plain;
    return sum;
  }

  Predicted<const CompiledPass*> program(const MeasuredRow& measured, const Pass& pass,
                                         const Runtime& runtime) {
    const auto [entry, added] =
        programs_.try_emplace(program_key(measured, pass), no_prediction("not_tried"));
    Predicted<CompiledPass>& compiled = entry->second;
    if (added) compiled = compile_pass(std::get<NetworkRow>(measured.what), pass, runtime);
    if (!compiled) return tl::make_unexpected(compiled.error());
    return &*compiled;
  }

  Predicted<CompiledPass> compile_pass(const NetworkRow& row, const Pass& pass,
                                       const Runtime& runtime) const {
    auto options = network_options(row, runtime);
    if (!options) return tl::make_unexpected(options.error());
    options->overridden = pass.symbols;
    options->overridden["batch"] = 1;
    const auto graph = in_phase(model_.graph, pass.phase, pass.symbols);
    if (!graph) return no_prediction("phase:" + pass.phase, first_message(graph.error()));
    auto compiled = compile(*graph, *options);
    if (!compiled) return no_prediction("not_compiled:" + row.model, first_message(compiled.error()));
    return CompiledPass{*std::move(options), *std::move(compiled)};
  }

  MeasuredModel model_;
  const MeasuredPlatforms& platforms_;
  bool baseline_;
  std::map<std::string, Predicted<CompiledPass>> programs_{};
};

}  // namespace

namespace {

// Hands each row to `visit` with its model, each model opened once.
template <class Visit, class Refuse>
void for_each_network(std::span<const MeasuredRow> rows, std::span<const std::size_t> which,
                      const MeasuredPlatforms& platforms, const OpenMeasuredModel& open, bool baseline,
                      const RowsDone& done, const Visit& visit, const Refuse& refuse) {
  std::vector<std::size_t> possible;
  for (const std::size_t index : which) {
    if (auto missing = missing_platform(rows[index], platforms)) {
      refuse(index, *std::move(missing));
    } else {
      possible.push_back(index);
    }
  }
  if (done) done(which.size() - possible.size());
  const std::vector<Job> jobs = jobs_of(rows, possible);
  for_each_block(jobs.size(), 1, [&](std::size_t at, std::size_t) {
    const Job& job = jobs[at];
    auto model = open(job.model, job.image_size);
    if (!model) {
      for (const std::size_t index : job.rows)
        refuse(index, Unpredicted{"model:" + job.model, first_message(model.error())});
    } else {
      ModelPredictor predictor(*std::move(model), platforms, baseline);
      for (const std::size_t index : job.rows) visit(index, predictor);
    }
    if (done) done(job.rows.size());
  });
}

}  // namespace

void predict_networks(std::span<const MeasuredRow> rows, std::span<const std::size_t> which,
                      const MeasuredPlatforms& platforms, const OpenMeasuredModel& open, bool baseline,
                      const RowsDone& done, std::span<Outcome> outcomes) {
  for_each_network(
      rows, which, platforms, open, baseline, done,
      [&](std::size_t index, ModelPredictor& predictor) { outcomes[index] = predictor.predict(rows[index]); },
      [&](std::size_t index, Unpredicted why) {
        outcomes[index].time = tl::make_unexpected(std::move(why));
      });
}

std::vector<std::optional<NetworkSample>> network_samples(std::span<const MeasuredRow> rows,
                                                          const MeasuredPlatforms& platforms,
                                                          const OpenMeasuredModel& open) {
  std::vector<std::optional<NetworkSample>> samples(rows.size());
  std::vector<std::size_t> networks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::holds_alternative<NetworkRow>(rows[i].what)) networks.push_back(i);
  }
  for_each_network(
      rows, networks, platforms, open, false, {},
      [&](std::size_t index, ModelPredictor& predictor) {
        if (auto sample = predictor.sample(rows[index])) samples[index] = *std::move(sample);
      },
      [](std::size_t, const Unpredicted&) {});
  return samples;
}

}  // namespace roofcast
