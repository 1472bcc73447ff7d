#include "tools/glob.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("matches: a star stands for any characters, a question mark for one") {
  const std::vector<std::string> names = {"rtx-3060", "rtx-3090", "rtx-4090", "t4"};

  CHECK(matches("rtx-30*", names) == std::vector<std::string>{"rtx-3060", "rtx-3090"});
  CHECK(matches("t?", names) == std::vector<std::string>{"t4"});
  CHECK(matches("x*", names).empty());
  CHECK(is_pattern("rtx*"));
  CHECK_FALSE(is_pattern("rtx-3060"));
}

}  // namespace
}  // namespace roofcast
