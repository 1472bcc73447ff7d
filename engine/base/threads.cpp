#include "engine/base/threads.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

namespace roofcast {

struct ThreadLimit::Control {
  tbb::global_control threads;
};

ThreadLimit::ThreadLimit(std::size_t threads)
    : control_(new Control{{tbb::global_control::max_allowed_parallelism, threads}}) {}

ThreadLimit::~ThreadLimit() = default;

void for_each_block(std::size_t count, std::size_t block,
                    const std::function<void(std::size_t, std::size_t)>& visit) {
  // Each thread takes the next block, not a half of what is left: callers put long work first.
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t first = next.fetch_add(block); first < count; first = next.fetch_add(block)) {
      visit(first, std::min(first + block, count));
    }
  };
  const std::size_t blocks = count / block + (count % block == 0 ? 0 : 1);
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const std::size_t threads = std::min(blocks, allowed);
  if (threads <= 1) {
    work();
    return;
  }
  // An arena of its own: the default one has no more threads than the machine, whatever is allowed.
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(
        std::size_t{0}, threads, [&](std::size_t) { work(); }, tbb::simple_partitioner{});
  });
}

}  // namespace roofcast
