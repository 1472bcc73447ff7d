#pragma once
// A block of threads that does not exist: threads of the host that do together what those of a device do, as
// the manual of PTX describes it.

#include <array>
#include <barrier>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/cuda/number.hpp"

namespace roofcast {

inline constexpr int lanes = 32;

/// What the lanes of a warp show each other.
template <class Number>
struct FakeWarp {
  std::barrier<> barrier{lanes};
  std::array<std::array<std::uint32_t, 6>, lanes> words{};  ///< of both tiles of a product
  std::array<const Number*, lanes> rows{};
  std::array<float, lanes> numbers{};

  /// The half of a word that lane `lane` shows.
  double number(int lane, int word, int half) const {
    std::array<Number, 2> numbers_of_word{};
    const std::uint32_t bits = words.at(static_cast<std::size_t>(lane)).at(static_cast<std::size_t>(word));
    std::memcpy(static_cast<void*>(numbers_of_word.data()), &bits, sizeof bits);
    return to_float(numbers_of_word.at(static_cast<std::size_t>(half)));
  }
};

/// One thread's view. `Team` of attention_share.hpp.
template <class Number>
class FakeTeam {
 public:
  FakeTeam(int thread, std::barrier<>& block, FakeWarp<Number>& warp)
      : thread_(thread), lane_(thread % lanes), block_(block), warp_(warp) {}

  int thread() const { return thread_; }
  void sync() { block_.arrive_and_wait(); }
  void wait_for_copies() {}

  void copy_pack(Number* to, const Number* from, bool is_there) {
    std::memset(static_cast<void*>(to), 0, 16);
    if (is_there) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), 16);
  }

  float exchanged(float x, int bit) {
    mine(warp_.numbers) = x;
    meet();
    const float other = warp_.numbers.at(static_cast<std::size_t>(lane_ ^ bit));
    meet();
    return other;
  }

  void load_matrices(std::uint32_t (&words)[2][2], const Number* row) { load(words, row, false); }
  void load_transposed_matrices(std::uint32_t (&words)[2][2], const Number* row) { load(words, row, true); }

  /// mma.sync m16n8k16. With g = lane / 4 and t = lane mod 4, word w of the first tile holds row g + 8 (w mod
  /// 2), k = 2 t + 8 (w / 2) and the next; word w of the second column g, k = 2 t + 8 w and the next; sum i
  /// is that of row g + 8 (i / 2) and column 2 t + i mod 2. Source: PTX ISA 9.0, "Matrix Fragments for
  /// mma.m16n8k16".
  void add_product(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    mine(warp_.words) = {a[0], a[1], a[2], a[3], b[0], b[1]};
    meet();
    for (int i = 0; i < 4; ++i) {
      const int row = lane_ / 4 + 8 * (i / 2);
      const int column = 2 * (lane_ % 4) + i % 2;
      double product = 0;
      for (int k = 0; k < 16; ++k) {
        product += warp_.number(row % 8 * 4 + k % 8 / 2, row / 8 + 2 * (k / 8), k % 2) *
                   warp_.number(column * 4 + k % 8 / 2, 4 + k / 8, k % 2);
      }
      sum[i] += static_cast<float>(product);
    }
    meet();
  }

 private:
  template <class Each>
  typename Each::value_type& mine(Each& each) {
    return each.at(static_cast<std::size_t>(lane_));
  }
  void meet() { warp_.barrier.arrive_and_wait(); }

  /// ldmatrix x4. Lane 8 i + j brings row j of matrix i; a lane gets of each numbers 2 t and 2 t + 1 of row
  /// g, or transposed of column g.
  void load(std::uint32_t (&words)[2][2], const Number* row, bool transposed) {
    mine(warp_.rows) = row;
    meet();
    for (int matrix = 0; matrix < 4; ++matrix) {
      std::array<Number, 2> pair{};
      for (int half = 0; half < 2; ++half) {
        const int own = lane_ / 4;
        const int other = 2 * (lane_ % 4) + half;
        const Number* from = warp_.rows.at(static_cast<std::size_t>(8 * matrix + (transposed ? other : own)));
        pair.at(static_cast<std::size_t>(half)) = from[transposed ? own : other];
      }
      std::memcpy(&words[matrix / 2][matrix % 2], pair.data(), sizeof pair);
    }
    meet();
  }

  int thread_ = 0;
  int lane_ = 0;
  std::barrier<>& block_;
  FakeWarp<Number>& warp_;
};

/// Runs `share(team)` in each of a block's threads.
template <class Number, class Share>
void run_block(int threads, const Share& share) {
  std::barrier<> block(threads);
  std::vector<std::unique_ptr<FakeWarp<Number>>> warps;
  for (int i = 0; i < threads / lanes; ++i) warps.push_back(std::make_unique<FakeWarp<Number>>());
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      FakeTeam<Number> team(i, block, *warps.at(static_cast<std::size_t>(i / lanes)));
      share(team);
    });
  }
}

}  // namespace roofcast
