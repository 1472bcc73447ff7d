#include "engine/base/units.hpp"

#include <doctest/doctest.h>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

template <class Left, class Right>
concept divides = requires(Left left, Right right) {
  left / right;
};
template <class Left, class Right>
concept adds = requires(Left left, Right right) {
  left + right;
};

static_assert(divides<Bytes, BytesPerSecond> && divides<Flops, FlopsPerSecond>);
static_assert(!divides<Bytes, FlopsPerSecond> && !divides<Flops, BytesPerSecond>);
static_assert(!adds<Bytes, Flops> && !adds<Usd, UsdPerHour>);

TEST_CASE("units: an amount over its rate is a time") {
  CHECK(as_milliseconds(Bytes{1e9} / gigabytes_per_second(1000)) == close_to(1.0));
  CHECK(as_microseconds(Flops{2e6} / teraflops_per_second(1)) == close_to(2.0));
}

TEST_CASE("units: gigabytes are decimal, gibibytes binary") {
  CHECK(gigabytes_per_second(1).value == 1e9);
  CHECK(gibibytes(1).value == 1024.0 * 1024 * 1024);
  CHECK(as_mebibytes(gibibytes(2)) == 2.0 * 1024);
}

TEST_CASE("units: an hour at a price per hour costs that price") {
  CHECK((UsdPerHour{3.6} * Seconds{3600}).value == close_to(3.6));
  CHECK((UsdPerHour{3.6} * Seconds{1}).value == close_to(0.001));
}

TEST_CASE("units: like quantities have a plain ratio") {
  static_assert(std::is_same_v<decltype(Bytes{} / Bytes{}), double>);
  CHECK(gibibytes(3) / gibibytes(2) == 1.5);
}

}  // namespace
}  // namespace roofcast
