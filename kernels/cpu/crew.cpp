#include "kernels/cpu/crew.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace roofcast {
namespace {

// A call and how far it is, in one word, so that a thread that is late never takes a block of another call:
// 24 bits of the call's number, 20 of its blocks, 20 of the next one.
struct Progress {
  static constexpr unsigned bits = 20;
  static constexpr std::uint64_t mask = (1U << bits) - 1;

  std::uint64_t word = 0;

  std::uint64_t call() const { return word >> (2 * bits); }
  std::uint64_t blocks() const { return (word >> bits) & mask; }
  std::uint64_t next() const { return word & mask; }
  bool over() const { return next() >= blocks(); }

  static Progress begin(std::uint64_t call, std::uint64_t blocks) {
    return {(call << (2 * bits)) | (blocks << bits)};
  }
};

class Crew {
 public:
  Crew() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 1; i < cores; ++i) threads_.emplace_back([this] { stand_by(); });
  }
  ~Crew() {
    leaving_ = true;
    word_.store(Progress::begin(++call_, 0).word);
    word_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void run(std::uint64_t blocks, const std::function<void(std::size_t)>& work) {
    work_ = &work;
    done_.store(0);
    word_.store(Progress::begin(++call_, blocks).word);
    word_.notify_all();
    take_blocks();
    while (done_.load() < blocks) rest();
  }

 private:
  static void rest() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
  }

  // `work_` is read only for a block of a call that is not over, which waits for it.
  void take_blocks() {
    while (!Progress{word_.load()}.over()) {
      const Progress taken{word_.fetch_add(1)};
      if (taken.over()) return;
      (*work_)(static_cast<std::size_t>(taken.next()));
      done_.fetch_add(1);
    }
  }

  void stand_by() {
    using Clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::microseconds(200);
    while (!leaving_) {
      take_blocks();
      const std::uint64_t seen = word_.load();
      const auto begin = Clock::now();
      while (Progress{word_.load()}.over() && !leaving_ && Clock::now() - begin < patience) rest();
      if (Progress{seen}.over() && word_.load() == seen) word_.wait(seen);
    }
  }

  std::vector<std::thread> threads_{};
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::uint64_t call_ = 0;
  std::atomic<std::uint64_t> word_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> leaving_{false};
};

}  // namespace

void run_in_blocks(std::size_t count, std::size_t block,
                   const std::function<void(std::size_t, std::size_t)>& visit) {
  const std::size_t blocks = count / block + (count % block == 0 ? 0 : 1);
  if (blocks <= 1) {
    if (count > 0) visit(0, count);
    return;
  }
  static Crew crew;
  crew.run(blocks, [&](std::size_t i) { visit(i * block, std::min((i + 1) * block, count)); });
}

}  // namespace roofcast
