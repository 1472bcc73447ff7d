#include "engine/hardware/calibration.hpp"

#include <doctest/doctest.h>

#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// Measured on the toy card at its 100 W.
Calibration profile() {
  return {.priors = toy_priors(),
          .provenance = {.device = "toy-8gb",
                         .date = "2026-11-30",
                         .samples = 300,
                         .driver = "570.1",
                         .power_limit = Watts{100}}};
}

std::string sentence(const Calibration& calibration) {
  return priors_of(calibration, toy_device(), "hardware_db/calibrations/toy-8gb.toml")
      .sources.at(profile_source);
}

TEST_CASE("priors_of: the answer says which file, how many samples and from when") {
  CHECK(doubts(profile(), toy_device()).empty());
  CHECK(priors_of(profile(), toy_device(), "a.toml").widened == 1);
  CHECK(sentence(profile()) ==
        "The card has a profile of its own (hardware_db/calibrations/toy-8gb.toml: 300 measured samples, "
        "2026-11-30), which replaces its architecture's numbers where it is better; --no-calibration leaves "
        "it out.");
}

TEST_CASE("priors_of: another power limit than the data sheet's makes ranges 1.5 times as wide") {
  Calibration capped = profile();
  capped.provenance.power_limit = Watts{80};

  CHECK(priors_of(capped, toy_device(), "a.toml").widened == 1.5);
  CHECK(sentence(capped).ends_with(
      " Ranges are 1.5 times as wide, because it was measured with a power limit of 80 W, the card's data "
      "sheet says 100 W."));
}

TEST_CASE("priors_of: so does an unknown driver, unless the samples come from several") {
  Calibration unknown = profile();
  unknown.provenance.driver.clear();
  Calibration published = unknown;
  published.provenance.method = CalibrationMethod::published;

  CHECK(priors_of(unknown, toy_device(), "a.toml").widened == 1.5);
  CHECK(sentence(unknown).ends_with(" because its driver is unknown."));
  CHECK(priors_of(published, toy_device(), "a.toml").widened == 1);
}

}  // namespace
}  // namespace roofcast
