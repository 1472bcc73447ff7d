#pragma once
// A line that says how far a long run is.

#include <chrono>
#include <cstddef>

namespace roofcast {

/// Shows itself on standard error, only if that is a terminal and the run takes more than a second, and goes
/// away again.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::size_t done, std::size_t total, const char* what = "configurations");

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_ = false;
  bool shown_ = false;
  Clock::time_point next_{};
};

}  // namespace roofcast
