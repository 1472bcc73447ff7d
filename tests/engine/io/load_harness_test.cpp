#include "engine/io/load_harness.hpp"

#include <doctest/doctest.h>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

const std::string head = "schema = 1\ntitle = \"Lab\"\n";
const std::string sources = "[sources]\noverhead_us = \"a\"\nweight_copies = \"b\"\n";

std::string complaint(const std::string& lines) {
  const auto harness = load_harness(head + lines + sources, "h/lab.toml");
  return harness ? "no mistakes" : to_string(harness.error());
}

TEST_CASE("load_harness: overheads by family, others have none") {
  const auto harness = load_harness(
      head + "weight_copies = 6\n[overhead_us]\ngemm = 5\nsoftmax = 2.5\n" + sources, "h/lab.toml");

  REQUIRE(harness.has_value());
  CHECK(harness->name == "lab");
  CHECK(harness->title == "Lab");
  CHECK(harness->weight_copies == 6);
  CHECK_FALSE(harness->cold);
  CHECK(as_microseconds(harness->overhead[static_cast<std::size_t>(KernelFamily::gemm)]) == close_to(5));
  CHECK(as_microseconds(harness->overhead[static_cast<std::size_t>(KernelFamily::softmax)]) == close_to(2.5));
  CHECK(harness->overhead[static_cast<std::size_t>(KernelFamily::copy)].count() == 0);
}

TEST_CASE("load_harness: cold operands are said") {
  CHECK(load_harness(head + "weight_copies = 1\ncold = true\n" + sources, "h/lab.toml")->cold);
}

TEST_CASE("load_harness: families that do not exist and numbers that make no sense") {
  CHECK(complaint("weight_copies = 1\n[overhead_us]\ngemms = 5\n")
            .starts_with("h/lab.toml:5:1: error: unknown key 'overhead_us.gemms'\n"));
  CHECK(complaint("weight_copies = 1\n[overhead_us]\ngemm = -5\n") ==
        "h/lab.toml:5:8: error: 'gemm' must be a number above 0, not -5\n");
  CHECK(complaint("weight_copies = 0\n") ==
        "h/lab.toml:3:17: error: 'weight_copies' must be from 1 to 1000000000, not 0\n");
  CHECK(complaint("") == "h/lab.toml:1:1: error: 'weight_copies' is missing\n");
}

}  // namespace
}  // namespace roofcast
