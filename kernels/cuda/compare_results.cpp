#include "kernels/cuda/compare_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/random.hpp"

namespace roofcast {
namespace {

/// Which results are compared: all of a few; of many the first, the last and some at random. In order. With
/// `terms` terms for each, only so many that the reference takes a second at most.
std::vector<std::size_t> compared_results(std::size_t count, std::int64_t terms) {
  constexpr std::int64_t most_terms = 1 << 24;
  const auto compared = static_cast<std::size_t>(std::clamp<std::int64_t>(most_terms / terms, 4, 128));
  constexpr std::uint64_t seed = 4;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < std::min(count, compared); ++i) {
    places.push_back(count <= compared ? i : i == 0 ? 0 : i == 1 ? count - 1 : random_bits(seed, i) % count);
  }
  std::ranges::sort(places);
  return places;
}

/// A copy of results on the host, in pieces so that large ones need no second memory. Calls
/// `see(at, values, index)` for each: number `at` lies at `index` of `values`.
template <class See>
Result<void> for_each_result(const CudaApi& api, const Operand& results, const void* memory, See&& see) {
  constexpr std::size_t piece = 1U << 24U;
  const std::size_t width = size_of(results.element);
  std::vector<std::byte> values(std::min(piece, results.values) * width);
  for (std::size_t first = 0; first < results.values; first += piece) {
    const std::size_t count = std::min(piece, results.values - first);
    const auto* from = static_cast<const std::byte*>(memory) + first * width;
    if (auto copied = succeeded(api.copy(values.data(), from, count * width), "copy"); !copied) return copied;
    for (std::size_t i = 0; i < count; ++i) {
      if (auto right = see(first + i, values.data(), i); !right) return right;
    }
  }
  return {};
}

Result<void> compare(const Expectation& expectation, Element element, std::size_t at, double found) {
  const ExpectedResult expected = expectation.of(at);
  const double allowed =
      expectation.tolerance * expected.magnitude + 1.01 * rounding(element) * std::abs(expected.value);
  if (std::abs(found - expected.value) <= allowed) return {};
  return fail(fmt::format("wrong: result {} is {} not {}", at, found, expected.value));
}

}  // namespace

Result<void> compare_results(const CudaApi& api, const Operand& results, const void* memory,
                             const Expectation& expectation) {
  const std::vector<std::size_t> places =
      compared_results(results.values, std::max<std::int64_t>(1, expectation.terms));
  auto next = places.begin();
  const auto see = [&](std::size_t at, const std::byte* values, std::size_t index) -> Result<void> {
    if (is_unwritten(results.element, values, index))
      return fail(fmt::format("wrong: result {} was not written or is no number", at));
    while (next != places.end() && *next == at) {
      ++next;
      const double found = stored_value(results.element, values, index);
      if (auto right = compare(expectation, results.element, at, found); !right) return right;
    }
    return {};
  };
  return for_each_result(api, results, memory, see);
}

}  // namespace roofcast
