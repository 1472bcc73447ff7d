// The whole loop on the host's processor, in a few seconds: measured, written, read back.

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "engine/io/measured_table.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/measure.hpp"
#include "kernels/samples.hpp"

namespace roofcast {
namespace {

namespace fs = std::filesystem;

Seconds now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

// Machines differ and are shared: rates only have to be possible.
TEST_CASE("measuring a processor gives tables with times that are possible") {
  const auto backend = open_cpu_backend();
  REQUIRE(backend);
  CHECK((*backend)->device().clock > megahertz(100));
  CHECK((*backend)->device().clock < megahertz(10'000));
  CHECK((*backend)->device().multiply_adds > FlopsPerSecond{1e8});
  CHECK((*backend)->device().multiply_adds < FlopsPerSecond{1e14});
  const fs::path path = fs::temp_directory_path() / fmt::format("measure_cpu_test_{}", ::getpid());
  fs::remove_all(path);
  auto folder = SampleFolder::open(path, {.hardware = "here", .date = "today"}, false);
  REQUIRE(folder);
  const std::vector<Probe> probes = {{.op = "gemm", .m = 64, .n = 64, .k = 64},
                                     {.op = "gemm", .m = 256, .n = 256, .k = 256},
                                     {.op = "stream_copy", .n = 1 << 20},
                                     {.op = "stream_triad", .n = 1 << 12, .residency = Residency::warm},
                                     {.op = "softmax", .m = 64, .n = 128}};
  const TimingRules rules{.warm_up = Seconds{0.01}, .least_total = Seconds{0.02}, .cap = Seconds{0.3}};

  for (const Probe& probe : probes) {
    const Sample sample = measure(**backend, probe, rules, now);
    CAPTURE(name(probe));
    CHECK(sample.failure.empty());
    REQUIRE(folder->write(sample));
  }

  const auto measured = read_measured_folder(path);
  fs::remove_all(path);
  REQUIRE(measured);
  REQUIRE(measured->tables.size() == 2);
  CHECK(measured->tables[0].rows.size() == 2);
  CHECK(measured->tables[1].rows.size() == 3);
  for (const MeasuredRow& row : measured->tables[0].rows) {
    const auto& op = std::get<OperatorRow>(row.what);
    const double rate = 2.0 * static_cast<double>(op.m * op.n * op.k) / row.measured.count();
    CHECK(rate > 1e6);
    CHECK(rate < 1.1 * (*backend)->device().multiply_adds.value);
  }
  for (const MeasuredRow& row : measured->tables[1].rows) {
    const auto& op = std::get<OperatorRow>(row.what);
    const double rate = 8.0 * static_cast<double>(op.m * op.n) / row.measured.count();
    CHECK(rate > 1e6);
    CHECK(rate < 1e14);
  }
}

}  // namespace
}  // namespace roofcast
