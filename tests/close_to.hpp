#pragma once
// Approximate comparison that is relative at any size: doctest's own adds an absolute part, which swallows
// microseconds.

#include <doctest/doctest.h>

namespace roofcast {

inline doctest::Approx close_to(double value, double share = 1e-9) {
  return doctest::Approx(value).epsilon(share).scale(0);
}

}  // namespace roofcast
