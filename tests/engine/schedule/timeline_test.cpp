#include "engine/schedule/timeline.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

// Microseconds; 5 of them from submitting a kernel to its start.
Timeline run(const std::vector<Stretch>& stretches) {
  return timeline(stretches, microseconds(5));
}

Stretch stretch(double host, double device) {
  return {.host = microseconds(host), .device = microseconds(device)};
}

TEST_CASE("timeline: a slow host decides, and the device waits") {
  const Timeline result = run({stretch(100, 10)});

  CHECK(as_microseconds(result.total) == close_to(100 + 5));
  CHECK(as_microseconds(result.device) == close_to(10));
  CHECK(as_microseconds(result.waiting) == close_to(95));
}

TEST_CASE("timeline: a slow device starts when the first kernel arrives") {
  const Timeline result = run({stretch(10, 100)});

  CHECK(as_microseconds(result.total) == close_to(5 + 100));
  CHECK(as_microseconds(result.waiting) == close_to(5));
}

TEST_CASE("timeline: on both sides of the change the slower one counts") {
  CHECK(as_microseconds(run({stretch(100, 99)}).total) == close_to(100 + 5));
  CHECK(as_microseconds(run({stretch(100, 101)}).total) == close_to(5 + 101));
}

TEST_CASE("timeline: after a stretch of the host the device starts at once") {
  // forward: host 0..100, last kernel done at 105; backward: device 105..305
  const Timeline result = run({stretch(100, 10), stretch(10, 200)});

  CHECK(as_microseconds(result.total) == close_to(105 + 200));
  CHECK(as_microseconds(result.device) == close_to(210));
}

TEST_CASE("timeline: a host that ran ahead hides what it does next") {
  // forward: device 5..105; the optimizer's kernels are all submitted by 60 and wait for the device
  CHECK(as_microseconds(run({stretch(10, 100), stretch(50, 5)}).total) == close_to(105 + 5));
  CHECK(as_microseconds(run({stretch(10, 100), stretch(200, 5)}).total) == close_to(210 + 5));
}

TEST_CASE("timeline: without kernels there is only the host") {
  CHECK(as_microseconds(run({stretch(50, 0)}).total) == close_to(50));
  CHECK(as_microseconds(run({stretch(50, 0), stretch(0, 10)}).total) == close_to(50 + 5 + 10));
  CHECK(run({}).total.count() == 0);
}

}  // namespace
}  // namespace roofcast
