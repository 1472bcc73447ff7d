#pragma once
// The time of a whole pass or step of training from the times of its kernels.

#include <array>

#include "engine/hardware/runtime.hpp"
#include "engine/kernel_time/kernel_time.hpp"
#include "engine/schedule/timeline.hpp"

namespace roofcast {

/// Forward, backward, optimizer.
inline constexpr std::size_t stretches = 3;

/// What the host has to do besides launching kernels.
struct HostWork {
  std::array<double, stretches> operators{};  ///< called
  double optimizer_tensors = 0;
  bool training = false;
};

struct StepTime {
  TimeRange time{};
  std::array<Seconds, bounds> by_bound{};  ///< indexed by Bound; sums to the median
  Timeline timeline{};
  double power = 0;  ///< wanted on average, as a share of the board's limit
};

/// Adds kernels up. Errors of kernels of one family are alike, so they add up as they are; those of different
/// families and of the host are independent:
///
///     ln(p90 / p50)^2 = sum_f (sum_(i in f) t_i ln(high_f) / t)^2 + ln(runtime)^2 + ln(t_slow_host / t)^2
///
/// with the time on a host that is `HostCosts::spread` times slower; p10 likewise with a faster one.
///
/// If kernels want more than the board's power on average, arithmetic slows down (kernel_time.hpp); the mean
/// is taken over the step, because a card's limit acts over tens of milliseconds.
class StepSum {
 public:
  StepSum(const Runtime& runtime, const TimeModel& model) : runtime_(&runtime), model_(&model) {}

  void add(const BoundKernel& kernel, std::size_t stretch, double count);
  /// The same with a time that is known already.
  void add(const KernelTime& time, KernelFamily family, MatrixUnit unit, std::size_t stretch, double count);
  StepTime finish(const HostWork& host) const;

 private:
  std::array<Stretch, stretches> stretches_of(const HostWork& work, double longer_device,
                                              double longer_host) const;

  struct Range {
    double low = 0;   // sum of t ln(low)
    double high = 0;  // sum of t ln(high)
  };
  const Runtime* runtime_;
  const TimeModel* model_;
  std::array<double, stretches> launches_{};
  std::array<Seconds, stretches> device_{};
  std::array<Seconds, bounds> by_bound_{};  // of kernels alone
  std::array<Seconds, matrix_units> arithmetic_{};
  std::array<Range, kernel_families> ranges_{};
  Seconds all_{};
  double work_ = 0;  // power x time, in shares of the limit and seconds
};

}  // namespace roofcast
