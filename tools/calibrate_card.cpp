// calibrate card: a processor as a card of its own: measured, described and fitted in one go.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "tools/calibrate_commands.hpp"
#include "tools/calibrate_fit.hpp"
#include "tools/calibrate_measure.hpp"
#include "tools/output.hpp"

namespace roofcast {
namespace {

int card_command(const DataFolder& data, MeasureOptions measuring) {
  const std::filesystem::path card = measuring.device_file;
  if (card.empty() && !measuring.dry_run && !measuring.list)
    return refuse({{{}, "-o CARD.toml is missing", "the card file; its samples and profile lie beside it"}});
  if (!card.empty() && card.extension() != ".toml")
    return refuse({{{}, fmt::format("-o {}: a card file ends in .toml", card.string()), {}}});
  if (measuring.backend == "cuda") {
    return refuse(
        {{{},
          "a card file can be written of a processor only",
          "for a GPU: `calibrate measure`, then `calibrate fit --hw` with its card of the database"}});
  }
  if (!card.empty()) measuring.folder = std::filesystem::path(card).replace_extension(".samples").string();
  const int measured = measure_command(measuring);
  if (measuring.dry_run || measuring.list || (measured != exit_ok && measured != exit_some_failed))
    return measured;

  const auto backend = open_backend(measuring.backend);
  if (!backend) return refuse(backend.error());
  FitCommandOptions fitting{.samples = {.path = measuring.folder},
                            .hardware = std::filesystem::absolute(card).string(),
                            .output = profile_beside(card).string()};
  fitting.provenance.driver = (*backend)->device().driver;
  fitting.provenance.libraries = (*backend)->device().libraries;
  const int fitted = fit_command(data, fitting);
  if (fitted != exit_ok) return fitted;
  fmt::print("{}: the profile; `simulate --hw {}` uses it\n", fitting.output, card.string());
  return measured;
}

}  // namespace

CalibrateRun declare_calibrate_card(CLI::App& app) {
  const auto options = std::make_shared<MeasureOptions>();
  app.add_option("--backend", options->backend, "What is measured: cpu");
  app.add_option("-o,--output", options->device_file,
                 "The card file, NAME.toml; NAME.samples/ and NAME.profile.toml are written beside it");
  add_probe_options(app, *options);
  return [options](const DataFolder& data) { return card_command(data, *options); };
}

}  // namespace roofcast
