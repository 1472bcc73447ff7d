#include "tools/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/report/numbers.hpp"

namespace roofcast {

std::string progress_text(std::size_t done, std::size_t total, const char* what,
                          std::chrono::duration<double> passed) {
  constexpr std::size_t width = 20;
  const double share = static_cast<double>(std::min(done, total)) / static_cast<double>(total);
  const auto filled = static_cast<std::size_t>(share * width);
  std::string text = fmt::format("[{:#<{}}{:-<{}}] {:3.0f}%, {} of {} {}", "", filled, "", width - filled,
                                 std::floor(100 * share), grouped(static_cast<std::int64_t>(done)),
                                 grouped(static_cast<std::int64_t>(total)), what);
  if (share > 0) text += fmt::format(", {:.0f} s left", std::ceil(passed.count() * (1 / share - 1)));
  return text;
}

ProgressLine::ProgressLine(bool wanted)
    : wanted_(wanted && isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      next_(begin_ + std::chrono::seconds(1)) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(std::size_t done, std::size_t total, const char* what) {
  if (!wanted_ || total == 0) return;
  const Clock::time_point now = Clock::now();
  if (done < before_) begin_ = now;  // the next model or card
  before_ = done;
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  std::fprintf(stderr, "\r%s\033[K", progress_text(done, total, what, now - begin_).c_str());
  std::fflush(stderr);
}

}  // namespace roofcast
