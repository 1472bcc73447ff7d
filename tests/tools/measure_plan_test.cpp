#include "tools/measure_plan.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

// Every probe takes 1 GB.
struct ToyBackend : Backend {
  const DeviceFacts& device() const override { return facts; }
  ProbeLimits limits() const override { return {}; }
  Bytes footprint(const Probe& /*probe*/) const override { return {1e9}; }
  Result<std::unique_ptr<Prepared>> prepare(const Probe& /*probe*/) override { return fail("toy"); }
  std::optional<Hertz> clock_now() override { return std::nullopt; }

  DeviceFacts facts{};
};

TEST_CASE("measure_plan: the cap of each probe, 0.1 s, and two seconds for each GB") {
  const ToyBackend backend;

  const MeasurePlan quick = measure_plan(backend, Extent::quick, {{.op = "relu"}, {.op = "gelu"}});
  const MeasurePlan full = measure_plan(backend, Extent::full, {{.op = "relu"}});

  CHECK(quick.time.count() == doctest::Approx(2 * (0.5 + 0.1 + 2.0)));
  CHECK(full.time.count() == doctest::Approx(2.0 + 0.1 + 2.0));
  CHECK(quick.memory.value == 1e9);
  const MeasurePlan sustained =
      measure_plan(backend, Extent::quick, {{.op = "gemm", .load = Load::sustained}});
  CHECK(sustained.time.count() == doctest::Approx(7.5 + 0.1 + 2.0));
}

TEST_CASE("slug_of: small letters, digits and single dashes") {
  CHECK(slug_of("AMD EPYC 7402P 24-Core Processor") == "amd-epyc-7402p-24-core-processor");
  CHECK(slug_of("Intel(R) Xeon(R) CPU @ 2.20GHz") == "intel-r-xeon-r-cpu-2-20ghz");
  CHECK(slug_of("--").empty());
}

}  // namespace
}  // namespace roofcast
