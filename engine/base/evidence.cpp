#include "engine/base/evidence.hpp"

namespace roofcast {

std::string_view to_string(Evidence evidence) {
  switch (evidence) {
    case Evidence::measured: return "measured";
    case Evidence::calibrated: return "calibrated";
    case Evidence::interpolated: return "interpolated";
    case Evidence::extrapolated: return "extrapolated";
    case Evidence::data_sheet: return "data sheet";
    case Evidence::assumed: return "assumed";
  }
  return "?";
}

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::compute: return "compute";
    case Bound::memory: return "memory";
    case Bound::launch: return "launch";
    case Bound::input: return "input";
  }
  return "?";
}

}  // namespace roofcast
