#include <fmt/format.h>

#include "engine/io/load_calibration.hpp"
#include "engine/io/load_priors.hpp"
#include "engine/io/toml_text.hpp"

namespace roofcast {
namespace {

std::string provenance_table(const Provenance& provenance) {
  std::string text = fmt::format(
      "\n[provenance]\ndevice = {}\ndate = {}\nmethod = {}\nsamples = {}\nsamples_hash = {}\n",
      toml_string(provenance.device), toml_string(provenance.date), toml_string(to_string(provenance.method)),
      provenance.samples, toml_string(provenance.samples_hash));
  const auto add_if_known = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, toml_string(value));
  };
  add_if_known("tool_version", provenance.tool_version);
  add_if_known("driver", provenance.driver);
  add_if_known("libraries", provenance.libraries);
  add_if_known("clocks", provenance.clocks);
  if (provenance.power_limit)
    text += fmt::format("power_limit_watts = {:.5g}\n", provenance.power_limit->value);
  return text;
}

}  // namespace

std::string write_calibration(const Calibration& calibration, const Priors& architecture) {
  Priors priors = calibration.priors;
  priors.title = calibration.title;
  std::string text = write_priors(priors, architecture);
  text += provenance_table(calibration.provenance);
  for (const HeldOutErrors& errors : calibration.held_out) {
    text += fmt::format("\n[held_out.{}]\nsamples = {}\nmedian = {:.3g}\np90 = {:.3g}\n",
                        toml_string(errors.stage), errors.samples, errors.median, errors.p90);
  }
  return text;
}

}  // namespace roofcast
