// fit_priors: fits hardware_db/priors/*.toml to tables of measured operators and networks.
//
//     tools/run fit_priors --measured ../shared/measured -o hardware_db/priors
//
// Fits on the shape groups and networks that `fold_of` gives it, and prints the error on those that it keeps
// to judge, before and after.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "engine/fit/fit_architecture.hpp"
#include "engine/io/data_folder.hpp"
#include "engine/io/load_priors.hpp"
#include "engine/io/measured_table.hpp"
#include "engine/validate/predict_networks.hpp"
#include "engine/validate/predict_operator.hpp"
#include "tools/locate_data.hpp"
#include "tools/measured_cards.hpp"
#include "tools/measured_models.hpp"
#include "tools/output.hpp"
#include "tools/write_file.hpp"

namespace roofcast {
namespace {

/// Everything measured, by compute capability.
struct Measured {
  std::map<std::string, std::vector<KernelSample>, std::less<>> operators{};
  std::map<std::string, std::vector<NetworkSample>, std::less<>> networks{};
};

Result<Measured> read_measured(const DataFolder& data, const std::string& measured,
                               const std::vector<std::string>& left_out) {
  const auto folder = read_measured_folder(measured);
  if (!folder) return tl::make_unexpected(folder.error());
  const auto harnesses = data.harnesses();
  if (!harnesses) return tl::make_unexpected(harnesses.error());
  const auto models = measured_models(data, measured);
  if (!models) return tl::make_unexpected(models.error());
  auto runtime = data.runtime("pytorch-eager");
  if (!runtime) return tl::make_unexpected(runtime.error());

  Measured result;
  MeasuredCards cards(data, *folder);
  std::vector<MeasuredRow> networks;
  for (const MeasuredTable& table : folder->tables) {
    for (const MeasuredRow& row : table.rows) {
      const std::string slug = cards.slug(row.hardware);
      if (slug.empty() || std::ranges::find(left_out, slug) != left_out.end()) continue;
      if (const auto* network = std::get_if<NetworkRow>(&row.what)) {
        // Loading and copying inputs is no property of a card.
        if (network->device_only) networks.push_back(row);
        if (network->device_only) networks.back().device = slug;
        continue;
      }
      const Device& device = cards.devices().find(slug)->second;
      if (auto sample = operator_sample(row, device, harness_of(row, *harnesses)))
        result.operators[device.compute_capability].push_back(*std::move(sample));
    }
  }
  const MeasuredPlatforms platforms{.devices = cards.devices(), .runtimes = {{runtime->name, *runtime}}};
  for (auto& sample : network_samples(networks, platforms, *models)) {
    if (!sample) continue;
    const Device& device = cards.devices().find(sample->device)->second;
    result.networks[device.compute_capability].push_back(*std::move(sample));
  }
  return result;
}

/// What an architecture starts from: its generation's file (`7` for 7.0 and 7.5) if there is one, else
/// `base`.
Result<Priors> start_of(const DataFolder& data, const std::string& architecture) {
  const std::string generation = architecture.substr(0, architecture.find('.'));
  const bool shared =
      std::filesystem::exists(data.root() / "hardware_db" / "priors" / (generation + ".toml"));
  return data.priors(shared ? generation : "base");
}

void print(const std::string& architecture, const FitReport& report) {
  fmt::print(
      "{:5} {:26} {:5} fitted {:5} calibrated {:5} judged: median {:5.1f}% -> {:4.1f}% -> {:4.1f}%, p90 "
      "{:4.0f}% -> "
      "{:3.0f}%, bias {:+.1f}%, range {:.2f}-{:.2f}\n",
      architecture, report.stage, report.fitted, report.calibrated, report.judged, 100 * report.before.median,
      100 * report.parameters.median, 100 * report.after.median, 100 * report.before.p90,
      100 * report.after.p90, 100 * report.after.bias, report.spread.low, report.spread.high);
  std::cout.flush();
}

int run(int argc, char** argv) {
  CLI::App app{"Fits the priors of architectures to tables of measured operators and networks."};
  std::string measured;
  std::string output;
  std::vector<std::string> architectures = {"6.1", "7.0", "7.5", "8.0", "8.6", "9.0"};
  std::vector<std::string> left_out;
  app.add_option("--measured", measured, "Folder with the tables")->required();
  app.add_option("-o,--output", output, "Folder for the files; without it nothing is written");
  app.add_option("--architecture", architectures, "Compute capabilities to fit")->delimiter(',');
  app.add_option("--leave-out", left_out, "Cards whose rows are not used, to judge the fit on them")
      ->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  const auto data = locate_data(argv[0]);
  if (!data) return refuse(data.error());
  const auto samples = read_measured(*data, measured, left_out);
  if (!samples) return refuse(samples.error());
  for (const std::string& name : architectures) {
    const auto own = data->priors(name);
    if (!own) return refuse(own.error());
    const auto base = start_of(*data, name);
    if (!base) return refuse(base.error());
    const auto of = [&](const auto& all) {
      const auto found = all.find(name);
      return found == all.end() ? typename std::decay_t<decltype(all)>::mapped_type{} : found->second;
    };
    ArchitectureFit fit = fit_architecture(*own, *base, of(samples->operators), of(samples->networks));
    for (const FitReport& report : fit.reports) print(name, report);
    if (output.empty() || fit.reports.empty()) continue;
    fit.priors.sources["parameters"] = fmt::format(
        "fitted by tools/fit_priors to the rows below, half of the groups of each; what has no row "
        "follows its nearest kin (engine/fit/README.md) or is that of {}.toml",
        base->name);
    const std::string file = fmt::format("{}/{}.toml", output, name);
    if (const std::string problem = write_file(file, write_priors(fit.priors, *base)); !problem.empty()) {
      return refuse({{Location{.file = file}, "cannot be written: " + problem, {}}});
    }
  }
  return exit_ok;
}

}  // namespace
}  // namespace roofcast

int main(int argc, char** argv) {
  return roofcast::run(argc, argv);
}
