#include "engine/base/threads.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace roofcast {
namespace {

using Blocks = std::vector<std::pair<std::size_t, std::size_t>>;

Blocks blocks_of(std::size_t count, std::size_t block, std::size_t threads) {
  const ThreadLimit limit(threads);
  std::mutex mutex;
  Blocks blocks;
  for_each_block(count, block, [&](std::size_t first, std::size_t last) {
    const std::scoped_lock lock(mutex);
    blocks.emplace_back(first, last);
  });
  return blocks;
}

TEST_CASE("for_each_block: blocks cover everything once, the last one may be short") {
  CHECK(blocks_of(7, 3, 1) == Blocks{{0, 3}, {3, 6}, {6, 7}});
  CHECK(blocks_of(6, 3, 1) == Blocks{{0, 3}, {3, 6}});
  CHECK(blocks_of(2, 3, 1) == Blocks{{0, 2}});
  CHECK(blocks_of(0, 3, 1).empty());
}

TEST_CASE("for_each_block: several threads visit the same blocks") {
  Blocks together = blocks_of(10'001, 10, 4);
  std::ranges::sort(together);

  CHECK(together == blocks_of(10'001, 10, 1));
}

TEST_CASE("for_each_block: what fits in one block or on one thread stays on the caller's") {
  const auto is_here = [here = std::this_thread::get_id()](std::size_t count, std::size_t threads) {
    const ThreadLimit limit(threads);
    bool all = true;
    for_each_block(count, 10,
                   [&](std::size_t, std::size_t) { all = all && std::this_thread::get_id() == here; });
    return all;
  };
  CHECK(is_here(10, 4));
  CHECK(is_here(10'000, 1));
}

TEST_CASE("for_each_block: an exception comes back to the caller") {
  const ThreadLimit limit(4);
  const auto fail_late = [](std::size_t first, std::size_t) {
    if (first == 90) throw std::runtime_error("90");
  };
  CHECK_THROWS_WITH(for_each_block(100, 10, fail_late), "90");
}

}  // namespace
}  // namespace roofcast
