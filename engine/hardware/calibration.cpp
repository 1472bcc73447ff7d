#include "engine/hardware/calibration.hpp"

#include <fmt/format.h>

#include <cmath>

namespace roofcast {
namespace {

constexpr double doubtful = 1.5;  // factor on ranges, a guess

std::string describe(const Calibration& calibration, std::string_view file,
                     const std::vector<std::string>& reasons) {
  const Provenance& provenance = calibration.provenance;
  std::string text = fmt::format(
      "The card has a profile of its own ({}: {} {} samples, {}), which replaces its architecture's numbers "
      "where it is better; --no-calibration leaves it out.",
      file, provenance.samples, to_string(provenance.method), provenance.date);
  if (!reasons.empty())
    text += fmt::format(" Ranges are {} times as wide, because {}.", doubtful, fmt::join(reasons, " and "));
  return text;
}

}  // namespace

std::string_view to_string(CalibrationMethod method) {
  switch (method) {
    case CalibrationMethod::measured: return "measured";
    case CalibrationMethod::published: return "published";
  }
  return "?";
}

std::vector<std::string> doubts(const Calibration& calibration, const Device& device) {
  const Provenance& provenance = calibration.provenance;
  std::vector<std::string> reasons;
  if (provenance.power_limit && std::abs(provenance.power_limit->value - device.board_power.value) > 0.5) {
    reasons.push_back(
        fmt::format("it was measured with a power limit of {:.0f} W, the card's data sheet says {:.0f} W",
                    provenance.power_limit->value, device.board_power.value));
  }
  if (provenance.method == CalibrationMethod::measured && provenance.driver.empty())
    reasons.emplace_back("its driver is unknown");
  return reasons;
}

Priors priors_of(const Calibration& calibration, const Device& device, std::string_view file) {
  Priors priors = calibration.priors;
  const std::vector<std::string> reasons = doubts(calibration, device);
  if (!reasons.empty()) priors.widened *= doubtful;
  priors.sources[profile_source] = describe(calibration, file, reasons);
  return priors;
}

}  // namespace roofcast
