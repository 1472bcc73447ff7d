#pragma once
// Physical quantities. The unit is in the type, so that unlike quantities do not mix; raw numbers appear only
// where files are read and reports are printed.

#include <chrono>
#include <compare>

namespace roofcast {

/// A number with a unit. `Tag` names the unit; values are in its base (bytes, FLOPs, hertz, ...).
template <class Tag>
struct Quantity {
  double value = 0.0;

  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity left, Quantity right) { return {left.value + right.value}; }
  friend constexpr Quantity operator-(Quantity left, Quantity right) { return {left.value - right.value}; }
  friend constexpr Quantity operator*(Quantity left, double factor) { return {left.value * factor}; }
  friend constexpr Quantity operator*(double factor, Quantity right) { return {factor * right.value}; }
  friend constexpr Quantity operator/(Quantity left, double divisor) { return {left.value / divisor}; }
  friend constexpr double operator/(Quantity left, Quantity right) { return left.value / right.value; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
};

using Bytes = Quantity<struct BytesUnit>;
using BytesPerSecond = Quantity<struct BytesPerSecondUnit>;
using Flops = Quantity<struct FlopsUnit>;  ///< operations; a multiply-add counts 2
using FlopsPerSecond = Quantity<struct FlopsPerSecondUnit>;
using Hertz = Quantity<struct HertzUnit>;
using UsdPerHour = Quantity<struct UsdPerHourUnit>;
using Usd = Quantity<struct UsdUnit>;
using Watts = Quantity<struct WattsUnit>;
using Seconds = std::chrono::duration<double>;

constexpr Seconds operator/(Bytes amount, BytesPerSecond rate) {
  return Seconds{amount.value / rate.value};
}
constexpr Seconds operator/(Flops amount, FlopsPerSecond rate) {
  return Seconds{amount.value / rate.value};
}
constexpr Usd operator*(UsdPerHour price, Seconds time) {
  return {price.value * time.count() / 3600.0};
}

constexpr Bytes mebibytes(double amount) {
  return {amount * 1024.0 * 1024.0};
}
constexpr Bytes gibibytes(double amount) {
  return {amount * 1024.0 * 1024.0 * 1024.0};
}
constexpr BytesPerSecond gigabytes_per_second(double amount) {
  return {amount * 1e9};
}
constexpr FlopsPerSecond teraflops_per_second(double amount) {
  return {amount * 1e12};
}
constexpr Hertz megahertz(double amount) {
  return {amount * 1e6};
}
constexpr Seconds microseconds(double amount) {
  return Seconds{amount * 1e-6};
}

constexpr double as_gibibytes(Bytes amount) {
  return amount.value / (1024.0 * 1024.0 * 1024.0);
}
constexpr double as_mebibytes(Bytes amount) {
  return amount.value / (1024.0 * 1024.0);
}
constexpr double as_microseconds(Seconds time) {
  return time.count() * 1e6;
}
constexpr double as_milliseconds(Seconds time) {
  return time.count() * 1e3;
}

}  // namespace roofcast
