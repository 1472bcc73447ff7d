#include "kernels/cuda/collective_layout.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

/// Device 3's value 7 is 307.
double value_of(std::size_t device, std::size_t place) {
  return static_cast<double>(100 * device + place);
}

CollectiveLayout layout_of(const char* op, std::int64_t bytes, std::int64_t devices) {
  return collective_layout({.op = op, .collective = CollectiveSizes{.bytes = bytes, .devices = devices}});
}

double expected(const CollectiveLayout& layout, std::size_t device, std::size_t result) {
  return expected_collective(layout, device, value_of, result).value;
}

TEST_CASE("collective_layout: the larger buffer has the bytes, the other one a part of them") {
  struct Case {
    const char* op;
    std::size_t in;
    std::size_t out;
  };
  for (const Case& each :
       {Case{"all_reduce", 32, 32}, Case{"all_gather", 8, 32}, Case{"reduce_scatter", 32, 8},
        Case{"alltoall", 32, 32}, Case{"send_recv", 32, 32}}) {
    CAPTURE(each.op);
    const CollectiveLayout layout = layout_of(each.op, 128, 4);
    CHECK(layout.in == each.in);
    CHECK(layout.out == each.out);
    CHECK(layout.part == 8);
  }
}

TEST_CASE("collective_layout: what does not fill a part for each device is left out") {
  CHECK(layout_of("all_gather", 256, 6).out == 60);
  CHECK(layout_of("all_reduce", 256, 6).out == 64);
  CHECK(layout_of("alltoall", 16, 8).out == 8);
}

TEST_CASE("expected_collective: by the definition of each operation") {
  CHECK(expected(layout_of("all_reduce", 128, 4), 2, 5) == 0 + 100 + 200 + 300 + 4 * 5);
  CHECK(expected(layout_of("reduce_scatter", 128, 4), 2, 5) == 600 + 4 * (2 * 8 + 5));
  CHECK(expected(layout_of("all_gather", 128, 4), 2, 3 * 8 + 5) == 305);
  CHECK(expected(layout_of("alltoall", 128, 4), 2, 3 * 8 + 5) == 300 + 2 * 8 + 5);
  CHECK(expected(layout_of("send_recv", 128, 4), 2, 5) == 105);
  CHECK(expected(layout_of("send_recv", 128, 4), 0, 5) == 305);
}

TEST_CASE("expected_collective: a sum is right within a share of the absolute values") {
  const CollectiveLayout layout = layout_of("all_reduce", 128, 4);

  const ExpectedResult sum = expected_collective(
      layout, 0, [](std::size_t device, std::size_t) { return device % 2 == 0 ? 3.0 : -2.0; }, 0);

  CHECK(sum.value == 2);
  CHECK(sum.magnitude == 10);
}

TEST_CASE("collective_ops: five operations in two precisions, and no others have a layout") {
  CHECK(collective_ops().size() == 10);
  for (const SupportedOp& each : collective_ops()) CHECK(find_collective(each.op));
  CHECK_FALSE(find_collective("gemm"));
}

}  // namespace
}  // namespace roofcast
