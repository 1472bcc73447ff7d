#pragma once
// Work that is spread over threads. This is the only way: nothing else starts any.

#include <cstddef>
#include <functional>
#include <memory>

namespace roofcast {

/// Calls `visit(first, last)` for blocks that together are [0, count), each at most `block` long. Blocks
/// begin in ascending order, on as many threads as the machine has or a `ThreadLimit` allows. What fits in
/// one block starts no thread.
void for_each_block(std::size_t count, std::size_t block,
                    const std::function<void(std::size_t first, std::size_t last)>& visit);

/// While it lives, work is spread over this many threads; the caller's counts.
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace roofcast
