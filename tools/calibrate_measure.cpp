// calibrate measure: runs probes on a device and writes tables of their times.

#include "tools/calibrate_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include "kernels/backend_list.hpp"
#include "kernels/measure.hpp"
#include "kernels/samples.hpp"
#include "tools/calibrate_commands.hpp"
#include "tools/card_file.hpp"
#include "tools/measure_plan.hpp"
#include "tools/measured_peaks.hpp"
#include "tools/output.hpp"
#include "tools/progress.hpp"
#include "tools/today.hpp"
#include "tools/write_file.hpp"

namespace roofcast {
namespace {

Seconds now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

std::string minutes(Seconds time) {
  return fmt::format("{:.0f} min {:.0f} s", std::floor(time.count() / 60), std::fmod(time.count(), 60));
}

std::string describe(const DeviceFacts& device) {
  return fmt::format("{}, {} units at {:.0f} MHz, {:.1f} GiB, cache of {:.0f} MiB, {}; {}\n", device.name,
                     device.units, device.clock.value / 1e6, as_gibibytes(device.memory),
                     as_mebibytes(device.last_level_cache), device.driver, device.libraries);
}

int print(const std::string& text) {
  const std::string problem = write_standard_output(text);
  if (problem.empty()) return exit_ok;
  refuse({{{}, "standard output cannot be written: " + problem, {}}});
  return exit_internal;
}

int print_list(const std::vector<Probe>& probes) {
  std::string text;
  for (const Probe& probe : probes) {
    text += fmt::format("{:40} {:10.4g} MFLOP {:10.4g} MB\n", name(probe), probe.operations.value / 1e6,
                        (probe.read + probe.written).value / 1e6);
  }
  return print(text);
}

std::string plan_text(const MeasurePlan& plan) {
  return fmt::format("{} probes in at most {}, with at most {:.2f} GiB of memory\n", plan.probes.size(),
                     minutes(plan.time), as_gibibytes(plan.memory));
}

constexpr Seconds memory_use_time{20};  // assumed: libraries are loaded and kernels built

const BackendEntry* find_backend(const std::string& name) {
  const auto entry = std::ranges::find(backends(), name, &BackendEntry::name);
  return entry == backends().end() ? nullptr : &*entry;
}

bool has_memory_use(const MeasureOptions& options) {
  const BackendEntry* entry = find_backend(options.backend);
  return entry != nullptr && entry->memory_use != nullptr;
}

/// What the device's software takes of its memory, as memory.csv. A table that is there stays with `resume`.
Result<void> write_memory_use(const MeasureOptions& options, const SampleOrigin& origin) {
  const std::string path = (std::filesystem::path(options.folder) / "memory.csv").string();
  if (!has_memory_use(options) || (options.resume && std::filesystem::exists(path))) return {};
  const auto uses = find_backend(options.backend)->memory_use();
  if (!uses) return tl::make_unexpected(uses.error());
  const std::string problem = write_file(path, memory_table(*uses, origin));
  if (!problem.empty()) return fail("cannot be written: " + problem, Location{.file = path});
  return {};
}

MeasurePlan plan_of(const MeasureOptions& options, const Backend& backend, Extent extent,
                    std::vector<Probe> probes) {
  MeasurePlan plan = measure_plan(backend, extent, std::move(probes));
  if (has_memory_use(options)) plan.time += memory_use_time;
  return plan;
}

struct Outcome {
  std::size_t measured = 0;
  std::size_t failed = 0;
  std::size_t flagged = 0;
  std::size_t left = 0;  ///< not begun when the time was over
};

Result<Outcome> measure_all(Backend& backend, const MeasurePlan& plan, SampleFolder& samples, Seconds end,
                            bool quiet) {
  Outcome outcome;
  ProgressLine progress(!quiet);
  Seconds beyond{};  // its cap, of a probe so far: others may use the machine too
  for (const Probe& probe : plan.probes) {
    const std::size_t done = outcome.measured + outcome.failed;
    progress.show(done, plan.probes.size(), "probes");
    const Seconds begin = now();
    const Seconds cap = rules_of(probe, plan.rules).cap;
    if (begin + cap + beyond > end) {
      outcome.left = plan.probes.size() - done;
      break;
    }
    const Sample sample = measure(backend, probe, plan.rules, now);
    if (const auto written = samples.write(sample); !written) return tl::make_unexpected(written.error());
    ++(sample.failure.empty() ? outcome.measured : outcome.failed);
    if (!flags(sample.timing).empty()) ++outcome.flagged;
    beyond = std::max(beyond, now() - begin - cap);
  }
  return outcome;
}

/// The card's file, and a line in devices.csv by which `fit` and `validate` find it.
Result<void> write_card(const MeasureOptions& options, const DeviceFacts& device, const MeasuredPeaks& peaks,
                        const SampleOrigin& origin) {
  if (peaks.product.value <= 0 || peaks.stream.value <= 0) {
    return fail("a card needs a measured product and stream", Location{.file = options.folder});
  }
  const std::string path = std::filesystem::absolute(options.device_file).string();
  const std::string names = (std::filesystem::path(options.folder) / "devices.csv").string();
  for (const auto& [file, text] :
       {std::pair{path, card_file(device, peaks, origin.date)},
        std::pair{names, fmt::format("hw,slug\n{},\"{}\"\n", origin.hardware, path)}}) {
    const std::string problem = write_file(file, text);
    if (!problem.empty()) return fail("cannot be written: " + problem, Location{.file = file});
  }
  return {};
}

int measure_into(Backend& backend, const MeasureOptions& options, Extent extent,
                 const std::vector<Probe>& probes) {
  const DeviceFacts& device = backend.device();
  const SampleOrigin origin{.hardware = options.hardware.empty() ? slug_of(device.name) : options.hardware,
                            .libraries = device.libraries,
                            .date = today()};
  auto samples = SampleFolder::open(options.folder, origin, options.resume);
  if (!samples) return refuse(samples.error());
  std::vector<Probe> missing;
  std::ranges::copy_if(probes, std::back_inserter(missing),
                       [&](const Probe& probe) { return !samples->is_done(probe); });
  const MeasurePlan plan = plan_of(options, backend, extent, std::move(missing));
  if (!options.quiet) fmt::print(stderr, "{}{}", describe(device), plan_text(plan));
  const Seconds begin = now();
  if (const auto written = write_memory_use(options, origin); !written) return refuse(written.error());
  const auto outcome = measure_all(backend, plan, *samples, begin + plan.time, options.quiet);
  if (!outcome) return refuse(outcome.error());
  const auto peaks = measured_peaks(options.folder, probes);
  if (!peaks) return refuse(peaks.error());
  if (!options.device_file.empty()) {
    if (const auto written = write_card(options, device, *peaks, origin); !written)
      return refuse(written.error());
  }
  std::string text = fmt::format(
      "{} measured in {}, {} there before, {} flagged, {} failed, {} left\nbest product: {:.1f} GFLOP/s "
      "({})\nbest "
      "stream: {:.2f} GB/s ({})\n",
      outcome->measured, minutes(now() - begin), samples->done() - outcome->measured - outcome->failed,
      outcome->flagged, outcome->failed, outcome->left, peaks->product.value / 1e9, peaks->product_probe,
      peaks->stream.value / 1e9, peaks->stream_probe);
  if (outcome->left > 0) text += "`--resume` measures what is left\n";
  const int printed = print(text);
  return printed == exit_ok && outcome->failed > 0 ? exit_some_failed : printed;
}

}  // namespace

Result<std::unique_ptr<Backend>> open_backend(const std::string& name) {
  if (const BackendEntry* entry = find_backend(name)) return entry->open();
  std::vector<std::string> names;
  for (const BackendEntry& known : backends()) names.emplace_back(known.name);
  return fail(fmt::format("--backend: unknown backend '{}'", name), {},
              did_you_mean(name, names, fmt::format("known: {}", fmt::join(names, ", "))));
}

int measure_command(const MeasureOptions& options) {
  if (!options.device_file.empty() && options.backend == "cuda") {
    return refuse({{{}, "--device-file describes processors only", "GPUs have card files in hardware_db/"}});
  }
  const auto backend = open_backend(options.backend);
  if (!backend) {
    const int code = refuse(backend.error());
    return find_backend(options.backend) != nullptr ? exit_no_device : code;
  }
  const Extent extent = options.full ? Extent::full : Extent::quick;
  const std::vector<Probe> probes = probe_list(extent, (*backend)->limits());
  if (options.list) return print_list(probes);
  if (options.dry_run) return print(plan_text(plan_of(options, **backend, extent, probes)));
  if (options.folder.empty()) {
    return refuse({{{}, "-o FOLDER is missing", "the tables of samples are written there"}});
  }
  return measure_into(**backend, options, extent, probes);
}

void add_probe_options(CLI::App& app, MeasureOptions& options) {
  auto* full = app.add_flag("--full", options.full, "All probes, with up to 2 s for each");
  app.add_flag("--quick")->excludes(full)->description("Few probes, with up to 0.5 s for each (default)");
  app.add_flag("--resume", options.resume, "Go on with the tables that are there");
  app.add_flag("--list", options.list, "Print the probes");
  app.add_flag("--dry-run", options.dry_run, "Print how long it will take at most, and the memory");
  app.add_flag("-q,--quiet", options.quiet, "No bar of progress");
}

CalibrateRun declare_calibrate_measure(CLI::App& app) {
  const auto options = std::make_shared<MeasureOptions>();
  app.add_option("--backend", options->backend,
                 "What is measured: cpu (default) or cuda, the first GPU that CUDA shows");
  app.add_option("-o,--output", options->folder, "Folder for the tables");
  app.add_option("--hw", options->hardware, "What the tables call the card; default: from the device's name");
  app.add_option("--device-file", options->device_file,
                 "Also write a card file, to predict this very processor");
  add_probe_options(app, *options);
  return [options](const DataFolder& /*data*/) { return measure_command(*options); };
}

}  // namespace roofcast
