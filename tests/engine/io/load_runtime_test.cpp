#include "engine/io/load_runtime.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

const std::string sources = "[sources]\nattention = \"a\"\nlaunch_us = \"b\"\ncontext_mib = \"c\"\n";

TEST_CASE("load_runtime: mechanisms by name, costs in units") {
  const auto runtime = load_runtime(
      "schema = 1\ntitle = \"Toy\"\nattention = \"unfused\"\nlaunch_us = 5\ncontext_mib = 512\n" + sources,
      "r/toy.toml");

  REQUIRE(runtime.has_value());
  CHECK(runtime->name == "toy");
  CHECK_FALSE(runtime->fused_attention);
  CHECK(as_microseconds(runtime->launch) == doctest::Approx(5.0));
  CHECK(as_gibibytes(runtime->context) == 0.5);
}

TEST_CASE("load_runtime: an unknown kind of attention is a mistake") {
  const auto runtime = load_runtime(
      "schema = 1\ntitle = \"Toy\"\nattention = \"flash\"\nlaunch_us = 5\ncontext_mib = 512\n" + sources,
      "r/toy.toml");

  REQUIRE_FALSE(runtime.has_value());
  CHECK(to_string(runtime.error()) ==
        "r/toy.toml:3:13: error: unknown attention 'flash'\n"
        "  hint: write \"fused\" (one kernel) or \"unfused\" (matmul, softmax, matmul)\n");
}

}  // namespace
}  // namespace roofcast
