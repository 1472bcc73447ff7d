#pragma once
// The profile of one card: its own numbers where they are better than its architecture's, and how they were
// found.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/units.hpp"
#include "engine/hardware/device.hpp"
#include "engine/hardware/priors.hpp"

namespace roofcast {

/// Where samples come from.
enum class CalibrationMethod : std::uint8_t {
  measured,  ///< in one session on the card, with one driver
  published  ///< tables of others, over several drivers and libraries
};

std::string_view to_string(CalibrationMethod method);

/// How a profile came about. Texts may be empty, except for device and date.
struct Provenance {
  std::string device{};  ///< slug
  std::string date{};    ///< "2026-11-30"
  CalibrationMethod method = CalibrationMethod::measured;
  int samples = 0;
  std::string samples_hash{};  ///< "fnv1a64:0123456789abcdef"
  std::string tool_version{};
  std::string driver{};
  std::string libraries{};
  std::string clocks{};
  std::optional<Watts> power_limit{};
};

/// |predicted / measured - 1| of samples that the fit had not seen.
struct HeldOutErrors {
  std::string stage{};  ///< "gemm.tensor16"
  int samples = 0;
  double median = 0;
  double p90 = 0;
};

struct Calibration {
  Priors priors{};      ///< of the card, named after its architecture
  std::string title{};  ///< of the profile
  Provenance provenance{};
  std::vector<HeldOutErrors> held_out{};
};

/// Why the card may not be as it was then: "its driver is unknown". Published samples come from several
/// drivers, so their ranges hold what drivers change.
std::vector<std::string> doubts(const Calibration& calibration, const Device& device);

/// Where `priors_of` says in `Priors::sources` that the card has a profile.
inline constexpr const char* profile_source = "profile";

/// The card's priors, with ranges 1.5 times as wide (in logarithms) if there are doubts. Their
/// `profile_source` is a sentence for the answer: which file, how many samples, from when, and the doubts.
Priors priors_of(const Calibration& calibration, const Device& device, std::string_view file);

}  // namespace roofcast
