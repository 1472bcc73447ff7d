#include "engine/hardware/residual.hpp"

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

// (1 + d) exp(-d) by d^2, straight between steps. The largest error is 3e-4, next to 0, so that a correction
// of 0.3 is off by 1e-4; a table is five times as fast as square roots and exponentials.
class Decay {
 public:
  static constexpr double end = 64;  // (1 + 8) exp(-8) = 0.003 is little enough

  Decay() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double distance = std::sqrt(static_cast<double>(i) / steps);
      values_[i] = static_cast<float>((1 + distance) * std::exp(-distance));
    }
  }

  double operator()(double square) const {
    const double at = square * steps;
    const auto below = static_cast<std::size_t>(at);
    const double left = values_[below];
    return left + (at - static_cast<double>(below)) * (values_[below + 1] - left);
  }

 private:
  static constexpr double steps = 32;  // for each unit of d^2
  std::array<float, static_cast<std::size_t>(end* steps) + 2> values_{};
};

}  // namespace

double correction(const Residual& residual, const Features& at) {
  constexpr double most = 0.4;
  static const Decay decay;
  const double scale = 3 / (residual.length * residual.length);
  double mu = 0;
  for (std::size_t i = 0; i < residual.points.size(); ++i) {
    double square = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const double difference = at[axis] - residual.points[i][axis];
      square += difference * difference;
    }
    square *= scale;
    if (square < Decay::end) mu += residual.weights[i] * decay(square);
  }
  return std::clamp(mu, -most, most);
}

}  // namespace roofcast
