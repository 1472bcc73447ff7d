#include "engine/io/load_priors.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace roofcast {
namespace {

std::string priors_file(double gemm_compute, std::string_view left_out = {}) {
  std::string text = "schema = 1\nspread = 1.5\nmemory_spread = 0.1\n";
  for (std::size_t i = 0; i < kernel_families; ++i) {
    const std::string_view name = to_string(static_cast<KernelFamily>(i));
    if (name == left_out) continue;
    text += fmt::format("[efficiency.{}]\ncompute = {}\nmemory = 0.5\n", name, i == 0 ? gemm_compute : 0.25);
  }
  return text + "[sources]\nefficiency = \"a\"\nspread = \"b\"\nmemory_spread = \"c\"\n";
}

TEST_CASE("load_priors: each kernel family gets its own efficiencies") {
  const auto priors = load_priors(priors_file(0.75), "p/toy.toml");

  REQUIRE(priors.has_value());
  CHECK(priors->spread == 1.5);
  CHECK(priors->efficiency[static_cast<std::size_t>(KernelFamily::gemm)].compute == 0.75);
  CHECK(priors->efficiency[static_cast<std::size_t>(KernelFamily::gather)].compute == 0.25);
}

TEST_CASE("load_priors: nothing is faster than its peak") {
  CHECK(load_priors(priors_file(1.0), "p/toy.toml").has_value());

  const auto priors = load_priors(priors_file(1.25), "p/toy.toml");

  REQUIRE_FALSE(priors.has_value());
  CHECK(to_string(priors.error()) == "p/toy.toml:5:11: error: 'compute' must be at most 1, not 1.25\n");
}

TEST_CASE("load_priors: a family that is left out is a mistake") {
  const auto priors = load_priors(priors_file(0.75, "pooling"), "p/toy.toml");

  REQUIRE_FALSE(priors.has_value());
  CHECK(to_string(priors.error()) == "p/toy.toml:4:1: error: the table [efficiency.pooling] is missing\n");
}

}  // namespace
}  // namespace roofcast
