// What kernels compute, compiled for the host and run thread by thread: each output once, and the right
// numbers.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cuda/element.hpp"
#include "kernels/cuda/map.hpp"
#include "kernels/cuda/read.hpp"
#include "kernels/cuda/row.hpp"

namespace roofcast {
namespace {

template <class Number>
std::vector<Number> random_numbers(std::int64_t count, std::uint64_t seed) {
  std::vector<Number> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(random_number<Number>(seed, static_cast<std::uint64_t>(i)));
  return values;
}

// A pack needs an address that is a multiple of 16.
template <class Number>
struct Aligned {
  explicit Aligned(std::int64_t count) : packs(static_cast<std::size_t>(count) / Pack<Number>::size + 1) {}
  Number* data() { return packs.front().numbers; }
  std::vector<Pack<Number>> packs;
};

template <class Core, class Number>
void check_map(std::int64_t count, std::int64_t threads) {
  Aligned<Number> left(count);
  Aligned<Number> right(count);
  Aligned<Number> out(count);
  const Number unwritten = from_float<Number>(99);
  for (std::int64_t i = 0; i < count; ++i) {
    left.data()[i] = random_number<Number>(1, static_cast<std::uint64_t>(i));
    right.data()[i] = random_number<Number>(2, static_cast<std::uint64_t>(i));
  }
  std::vector<int> writers(static_cast<std::size_t>(count), 0);
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    std::fill_n(out.data(), count, unwritten);
    map_share<Core>(thread, threads, count, left.data(), right.data(), out.data());
    for (std::int64_t i = 0; i < count; ++i) {
      if (to_float(out.data()[i]) == to_float(unwritten)) continue;
      ++writers[static_cast<std::size_t>(i)];
      CHECK(to_float(out.data()[i]) ==
            to_float(mapped(Core{}, left.data()[i], Core::inputs > 1 ? right.data()[i] : Number{})));
    }
  }
  CHECK(std::ranges::count(writers, 1) == count);
}

TEST_CASE("map_share: all threads together write each value once, at whole and ragged sizes") {
  for (const std::int64_t count : {1, 3, 7, 8, 9, 64, 255, 1000, 1024}) {
    for (const std::int64_t threads : {1, 5, 32, 96}) {
      CAPTURE(count);
      CAPTURE(threads);
      check_map<CopyCore, float>(count, threads);
      check_map<TriadCore, __half>(count, threads);
      check_map<AddCore, __nv_bfloat16>(count, threads);
      check_map<WriteCore, float>(count, threads);
    }
  }
}

TEST_CASE("map_blocks: at least one, at most four for each SM") {
  static_assert(map_blocks(1, 4, 100) == 1);
  static_assert(map_blocks(256 * 4 * 4, 4, 100) == 1);
  static_assert(map_blocks(256 * 4 * 4 + 1, 4, 100) == 2);
  static_assert(map_blocks(std::int64_t{1} << 30, 4, 100) == 400);
}

TEST_CASE("read_share: blocks add up what for_each_read_by says") {
  for (const std::int64_t count : {5, 1024, 100'003}) {
    for (const std::int64_t blocks : {1, 3}) {
      CAPTURE(count);
      CAPTURE(blocks);
      Aligned<__half> in(count);
      for (std::int64_t i = 0; i < count; ++i)
        in.data()[i] = random_number<__half>(1, static_cast<std::uint64_t>(i));
      std::vector<int> readers(static_cast<std::size_t>(count), 0);
      for (std::int64_t block = 0; block < blocks; ++block) {
        double sum = 0;
        for (int thread = 0; thread < map_threads; ++thread)
          sum += read_share(block * map_threads + thread, blocks * map_threads, count, in.data());
        double expected = 0;
        for_each_read_by(block, blocks, count, Pack<__half>::size, [&](std::int64_t i) {
          ++readers[static_cast<std::size_t>(i)];
          expected += to_float(in.data()[i]);
        });
        CHECK(sum == doctest::Approx(expected).epsilon(1e-4));
      }
      CHECK(std::ranges::count(readers, 1) == count);
    }
  }
}

TEST_CASE("GeluCore: as the formula in double precision") {
  for (double x = -8; x <= 8; x += 0.01) {
    const double y = GeluCore::scale * (x + GeluCore::cubic * x * x * x);
    CHECK(GeluCore{}(static_cast<float>(x), 0) == doctest::Approx(x / 2 * (1 + std::tanh(y))).epsilon(1e-5));
  }
}

/// What threads 0 to `threads` - 1 keep of a row, each by `width` values, combined as pairs.
template <class Part, int width>
Part row_part(const std::vector<float>& row, std::size_t threads) {
  std::vector<Part> parts(threads);
  for (std::size_t i = 0; i < row.size(); i += width) {
    float x[width];
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(i), width, x);
    Part& part = parts[i / width % threads];
    part = with_values(part, x);
  }
  for (std::size_t step = threads / 2; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) parts[i] = combined(parts[i], parts[i + step]);
  }
  return parts[0];
}

TEST_CASE("SoftmaxPart: parts of a row in any split are the row in double precision") {
  for (const std::int64_t count : {1, 2, 33, 1000}) {
    const auto row = random_numbers<float>(count, 5);
    const double most = *std::ranges::max_element(row);
    double sum = 0;
    for (const float x : row) sum += std::exp(x - most);
    for (const std::size_t threads : {1U, 2U, 32U, 256U}) {
      CAPTURE(count);
      CAPTURE(threads);
      const auto one = row_part<SoftmaxPart, 1>(row, threads);
      CHECK(one.largest == static_cast<float>(most));
      CHECK(one.sum == doctest::Approx(sum).epsilon(1e-5));
      if (count % 8 != 0) continue;
      const auto packs = row_part<SoftmaxPart, 8>(row, threads);
      CHECK(packs.largest == static_cast<float>(most));
      CHECK(packs.sum == doctest::Approx(sum).epsilon(1e-5));
    }
  }
}

TEST_CASE("MomentPart: parts of a row in any split have its mean and variance, far from zero too") {
  for (const float shift : {0.0F, 1000.0F}) {
    auto row = random_numbers<float>(1000, 6);
    for (float& x : row) x += shift;
    double mean = 0;
    for (const float x : row) mean += x / 1000.0;
    double squares = 0;
    for (const float x : row) squares += (x - mean) * (x - mean);
    for (const std::size_t threads : {1U, 32U, 256U}) {
      CAPTURE(shift);
      CAPTURE(threads);
      for (const MomentPart& part :
           {row_part<MomentPart, 1>(row, threads), row_part<MomentPart, 4>(row, threads),
            row_part<MomentPart, 8>(row, threads)}) {
        CHECK(part.count == 1000);
        CHECK(part.mean == doctest::Approx(mean).epsilon(1e-5));
        CHECK(part.squares == doctest::Approx(squares).epsilon(shift > 0 ? 2e-3 : 1e-5));
        CHECK(layer_norm_scale(part) == doctest::Approx(1 / std::sqrt(squares / 1000 + 1e-5)).epsilon(1e-3));
      }
    }
  }
}

TEST_CASE("random_bell: mean 0, deviation 1, and ends") {
  constexpr int count = 100'000;
  double sum = 0;
  double squares = 0;
  double most = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double z = random_bell(9, i);
    sum += z;
    squares += z * z;
    most = std::max(most, std::abs(z));
  }
  CHECK(sum / count == doctest::Approx(0).epsilon(0.02));
  CHECK(squares / count == doctest::Approx(1).epsilon(0.02));
  CHECK(most < 3.47);
  CHECK(most > 3);
}

TEST_CASE("elements: what the device fills is what the host expects") {
  for (const Element element : {Element::fp32, Element::fp16, Element::bf16, Element::int8, Element::fp8}) {
    double least = 0;
    for (std::size_t i = 0; i < 1000; ++i) least = std::min(least, input_value(element, 3, i));
    CHECK(least < -2);
    CHECK(least >= -127);
  }
  CHECK(input_value(Element::fp16, 3, 7) ==
        doctest::Approx(input_value(Element::fp32, 3, 7)).epsilon(rounding(Element::fp16)));
  CHECK(input_value(Element::fp8, 3, 7) ==
        doctest::Approx(input_value(Element::fp32, 3, 7)).epsilon(rounding(Element::fp8)));
}

TEST_CASE("elements: results that nothing has written are seen") {
  for (const Element element : {Element::fp32, Element::fp16, Element::bf16, Element::fp8, Element::int32}) {
    CAPTURE(static_cast<int>(element));
    const std::vector<std::byte> unwritten(4, std::byte{unwritten_byte(element)});
    const std::vector<std::byte> zeros(4, std::byte{0});
    CHECK(is_unwritten(element, unwritten.data(), 0));
    CHECK_FALSE(is_unwritten(element, zeros.data(), 0));
  }
}

}  // namespace
}  // namespace roofcast
