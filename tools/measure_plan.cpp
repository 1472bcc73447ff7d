#include "tools/measure_plan.hpp"

#include <algorithm>
#include <cctype>

#include "kernels/measure.hpp"

namespace roofcast {

TimingRules timing_rules(Extent extent) {
  if (extent == Extent::full) return {};
  return {.warm_up = Seconds{0.03}, .least_total = Seconds{0.05}, .cap = Seconds{0.5}};
}

MeasurePlan measure_plan(const Backend& backend, Extent extent, std::vector<Probe> probes) {
  constexpr BytesPerSecond filling{0.5e9};
  constexpr Seconds checking{0.1};
  MeasurePlan plan{.probes = std::move(probes), .rules = timing_rules(extent)};
  for (const Probe& probe : plan.probes) {
    const Bytes footprint = backend.footprint(probe);
    plan.time += rules_of(probe, plan.rules).cap + checking + footprint / filling;
    plan.memory = std::max(plan.memory, footprint);
  }
  return plan;
}

std::string slug_of(const std::string& name) {
  std::string slug;
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0) {
      slug += static_cast<char>(std::tolower(byte));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  if (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

}  // namespace roofcast
