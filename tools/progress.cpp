#include "tools/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace roofcast {

ProgressLine::ProgressLine(bool wanted)
    : wanted_(wanted && isatty(STDERR_FILENO) != 0), next_(Clock::now() + std::chrono::seconds(1)) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(std::size_t done, std::size_t total, const char* what) {
  if (!wanted_ || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(200);
  shown_ = true;
  std::fprintf(stderr, "\r%zu of %zu %s", done, total, what);
  std::fflush(stderr);
}

}  // namespace roofcast
