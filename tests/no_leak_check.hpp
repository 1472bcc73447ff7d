#pragma once
// For what a foreign library keeps until the process ends, out of a leak checker's sight.

#if defined(__SANITIZE_ADDRESS__)
#define ROOFCAST_LEAK_CHECK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROOFCAST_LEAK_CHECK 1
#endif
#endif

#ifdef ROOFCAST_LEAK_CHECK
#include <sanitizer/lsan_interface.h>
#endif

namespace roofcast {

/// What this thread allocates while one of these lives is not reported as a leak.
class [[maybe_unused]] NoLeakCheck {
 public:
#ifdef ROOFCAST_LEAK_CHECK
  NoLeakCheck() {
    __lsan_disable();
  }
  ~NoLeakCheck() {
    __lsan_enable();
  }
#else
  NoLeakCheck() = default;
  ~NoLeakCheck() = default;
#endif
  NoLeakCheck(const NoLeakCheck&) = delete;
  NoLeakCheck& operator=(const NoLeakCheck&) = delete;
};

}  // namespace roofcast
