#include "tools/progress.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

using Passed = std::chrono::duration<double>;

TEST_CASE("progress_text: a bar, a share and how long it will take at this pace") {
  CHECK(progress_text(40'000, 100'000, "configurations", Passed{2}) ==
        "[########------------]  40%, 40,000 of 100,000 configurations, 3 s left");
  CHECK(progress_text(0, 10, "rows", Passed{2}) == "[--------------------]   0%, 0 of 10 rows");
  CHECK(progress_text(10, 10, "rows", Passed{2}) == "[####################] 100%, 10 of 10 rows, 0 s left");
}

TEST_CASE("progress_text: is not at 100% before it is done") {
  CHECK(progress_text(999, 1000, "rows", Passed{1000}) ==
        "[###################-]  99%, 999 of 1,000 rows, 2 s left");
}

}  // namespace
}  // namespace roofcast
