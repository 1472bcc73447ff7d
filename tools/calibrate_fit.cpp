#include "tools/calibrate_fit.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>

#include "engine/fit/fit_calibration.hpp"
#include "engine/io/load_calibration.hpp"
#include "tools/calibrate_commands.hpp"
#include "tools/output.hpp"
#include "tools/today.hpp"
#include "tools/version.hpp"
#include "tools/write_file.hpp"

namespace roofcast {
namespace {

std::string percent(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

std::string change(double before, double after) {
  return fmt::format("{:>6} -> {:>5}", percent(before), percent(after));
}

void print(const CalibrationFit& fit) {
  fmt::print("{:24} {:>7} {:>6}  {:15}  {:15}  {}\n", "stage", "samples", "groups", "median error",
             "90% within", "outcome");
  for (const StageCalibration& stage : fit.stages) {
    const std::string outcome =
        stage.kept ? fmt::format("kept: parameters {}, residual {}, range {:.2f}-{:.2f}",
                                 stage.parameters ? "fitted" : "of the architecture",
                                 to_string(stage.residual), stage.spread.low, stage.spread.high)
                   : "unchanged: " + stage.reason;
    fmt::print("{:24} {:7} {:6}  {:15}  {:15}  {}\n", stage.stage, stage.samples, stage.groups,
               change(stage.before.median, stage.after.median), change(stage.before.p90, stage.after.p90),
               outcome);
    if (stage.judged == 0) continue;
    fmt::print("{:24} {:7} {:6}  {:15}  {:15}  {} within the range\n", "  unseen groups", stage.judged, "",
               change(stage.judged_before.median, stage.judged_after.median),
               change(stage.judged_before.p90, stage.judged_after.p90), percent(stage.judged_inside));
  }
  fmt::print("Errors are of samples whose groups of shapes a fit had not seen.\n");
  std::cout.flush();
}

Calibration profile_of(const CalibrationFit& fit, const ChosenSamples& chosen, const Device& device,
                       const FitCommandOptions& options) {
  Calibration calibration{
      .priors = fit.priors, .title = "Profile of " + device.name, .provenance = options.provenance};
  Provenance& provenance = calibration.provenance;
  provenance.device = device.slug;
  if (provenance.date.empty()) provenance.date = today();
  provenance.method =
      options.method == "published" ? CalibrationMethod::published : CalibrationMethod::measured;
  provenance.samples = static_cast<int>(chosen.fitted);
  provenance.samples_hash = chosen.hash;
  provenance.tool_version = tool_version;
  if (options.power_limit_watts > 0) provenance.power_limit = Watts{options.power_limit_watts};
  for (const StageCalibration& stage : fit.stages) {
    if (!stage.kept) continue;
    calibration.held_out.push_back(
        {stage.stage, static_cast<int>(stage.samples), stage.after.median, stage.after.p90});
  }
  calibration.priors.sources["parameters"] = fmt::format("fitted by tools/calibrate to {} samples of {}",
                                                         chosen.fitted, fmt::join(chosen.sources, ", "));
  return calibration;
}

}  // namespace

int fit_command(const DataFolder& data, const FitCommandOptions& options) {
  const auto found = data.find_device(options.hardware);
  if (!found) return refuse(found.error());
  const Device& device = found->device;
  const auto architecture = data.priors_for(device);
  if (!architecture) return refuse(architecture.error());
  SampleChoice choice = options.samples;
  choice.split = options.split == "half" ? GroupSplit::half : GroupSplit::all;
  const auto chosen = choose_samples(data, device, choice);
  if (!chosen) return refuse(chosen.error());

  const CalibrationFit fit = fit_calibration(*architecture, chosen->samples, choice.split);
  print(fit);
  if (options.output.empty()) return exit_ok;
  const std::string text = write_calibration(profile_of(fit, *chosen, device, options), *architecture);
  const auto again = load_calibration(text, options.output, device, *architecture);
  if (!again) return refuse(again.error());  // a date that is none
  if (const std::string problem = write_file(options.output, text); !problem.empty()) {
    refuse({{Location{.file = options.output}, "cannot be written: " + problem, {}}});
    return exit_internal;
  }
  return exit_ok;
}

CalibrateRun declare_calibrate_fit(CLI::App& app) {
  const auto options = std::make_shared<FitCommandOptions>();
  SampleChoice& samples = options->samples;
  Provenance& provenance = options->provenance;
  app.add_option("--samples", samples.path, "Table of measured operators, or a folder with some")->required();
  app.add_option("--hw", options->hardware, "Card whose rows are taken")->required();
  app.add_option("-o,--output", options->output,
                 "File for the profile, hardware_db/calibrations/CARD.toml; without it nothing is written");
  app.add_option("--most", samples.most, "Fit to so many samples at most, spread over groups of shapes")
      ->check(CLI::PositiveNumber);
  app.add_option("--only", samples.kernels, "Comma list of operators, such as gemm,softmax")->delimiter(',');
  app.add_option("--precision", samples.precisions, "Comma list, as the tables spell them")->delimiter(',');
  app.add_option("--split", options->split,
                 "all: fit to all groups of shapes; half: the other half of them only judges")
      ->check(CLI::IsMember({"all", "half"}))
      ->capture_default_str();
  app.add_option("--method", options->method, "measured: in one session; published: tables of others")
      ->check(CLI::IsMember({"measured", "published"}))
      ->capture_default_str();
  app.add_option("--date", provenance.date, "Of the measurements, such as 2026-11-30; today if left out");
  app.add_option("--driver", provenance.driver, "Version of the driver");
  app.add_option("--libraries", provenance.libraries, "Versions of the libraries");
  app.add_option("--clocks", provenance.clocks, "Clocks, such as \"locked at 1410 MHz\"");
  app.add_option("--power-limit", options->power_limit_watts, "Watts");
  return [options](const DataFolder& data) { return fit_command(data, *options); };
}

}  // namespace roofcast
