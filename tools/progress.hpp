#pragma once
// A line that says how far a long run is.

#include <chrono>
#include <cstddef>
#include <string>

namespace roofcast {

/// "[########------------]  40%, 40,000 of 100,000 configurations, 3 s left". The time left is as long for
/// each as so far. Needs: a total above 0.
std::string progress_text(std::size_t done, std::size_t total, const char* what,
                          std::chrono::duration<double> passed);

/// Shows itself on standard error, only if that is a terminal and the run takes more than a second, and goes
/// away again. Not for two threads at once.
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
  std::size_t before_ = 0;  // done at the last call
  Clock::time_point begin_{};
  Clock::time_point next_{};
};

}  // namespace roofcast
