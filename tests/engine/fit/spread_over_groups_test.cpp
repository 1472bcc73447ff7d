#include "engine/fit/spread_over_groups.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace roofcast {
namespace {

// Ten samples of each of the groups a, b, c and one of d.
std::vector<std::string> groups() {
  std::vector<std::string> all;
  for (const char* name : {"a", "b", "c"}) all.insert(all.end(), 10, name);
  all.emplace_back("d");
  return all;
}

TEST_CASE("spread_over_groups: one of every group before a second of any") {
  const std::vector<std::string> all = groups();
  std::multiset<std::string> first;
  for (const std::size_t index : spread_over_groups(all, 4)) first.insert(all[index]);
  std::multiset<std::string> both;
  for (const std::size_t index : spread_over_groups(all, 7)) both.insert(all[index]);

  CHECK(first == std::multiset<std::string>{"a", "b", "c", "d"});
  CHECK(both == std::multiset<std::string>{"a", "a", "b", "b", "c", "c", "d"});
}

TEST_CASE("spread_over_groups: all where there are no more, in their order") {
  const std::vector<std::size_t> all = spread_over_groups(groups(), 100);

  CHECK(all.size() == 31);
  CHECK(std::ranges::is_sorted(all));
  CHECK(spread_over_groups({}, 5).empty());
}

}  // namespace
}  // namespace roofcast
