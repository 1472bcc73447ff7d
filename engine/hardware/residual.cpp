#include "engine/hardware/residual.hpp"

#include <algorithm>
#include <cmath>

namespace roofcast {

double correction(const Residual& residual, const Features& at) {
  constexpr double most = 0.4;
  constexpr double negligible = 8;  // (1 + 8) exp(-8) = 0.003
  const double scale = std::sqrt(3.0) / residual.length;
  double mu = 0;
  for (std::size_t i = 0; i < residual.points.size(); ++i) {
    double square = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const double difference = at[axis] - residual.points[i][axis];
      square += difference * difference;
    }
    const double distance = scale * std::sqrt(square);
    if (distance < negligible) mu += residual.weights[i] * (1 + distance) * std::exp(-distance);
  }
  return std::clamp(mu, -most, most);
}

}  // namespace roofcast
