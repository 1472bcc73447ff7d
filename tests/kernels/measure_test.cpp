#include "kernels/measure.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

/// What goes wrong with a toy probe.
enum class Trouble { none, prepare, verify, run };

struct ToyPrepared : Prepared {
  ToyPrepared(Trouble with, int& count) : trouble(with), runs(count) {}

  Result<void> verify() override {
    if (trouble == Trouble::verify) return fail("wrong: result 0 is 1, not 2");
    return {};
  }
  Result<Seconds> run(std::int64_t times) override {
    if (trouble == Trouble::run) return fail("out of order");
    runs += static_cast<int>(times);
    return microseconds(2000) * static_cast<double>(times);
  }

  Trouble trouble = Trouble::none;
  int& runs;
};

struct ToyBackend : Backend {
  explicit ToyBackend(Trouble with) : trouble(with) {}

  const DeviceFacts& device() const override { return facts; }
  ProbeLimits limits() const override { return {}; }
  Bytes footprint(const Probe& /*probe*/) const override { return {}; }
  Result<std::unique_ptr<Prepared>> prepare(const Probe& /*probe*/) override {
    if (trouble == Trouble::prepare) return fail("not enough memory");
    return std::make_unique<ToyPrepared>(trouble, runs);
  }
  std::optional<Hertz> clock_now() override { return std::nullopt; }

  DeviceFacts facts{};
  Trouble trouble = Trouble::none;
  int runs = 0;
};

Sample measured(ToyBackend& backend) {
  return measure(backend, {.op = "relu", .m = 4, .n = 8}, {},
                 [&] { return microseconds(2000) * static_cast<double>(backend.runs); });
}

TEST_CASE("measure: the time of one run") {
  ToyBackend backend{Trouble::none};

  const Sample sample = measured(backend);

  CHECK(sample.failure.empty());
  CHECK(sample.probe.op == "relu");
  CHECK(as_microseconds(sample.timing.of_one_run.median) == doctest::Approx(2000));
  CHECK_FALSE(sample.timing.clock.has_value());
}

TEST_CASE("measure: under sustained load 3 s come before, and 3 s are timed in long batches") {
  ToyBackend backend{Trouble::none};

  const Sample sample = measure(backend, {.op = "relu", .m = 4, .n = 8, .load = Load::sustained}, {},
                                [&] { return microseconds(2000) * static_cast<double>(backend.runs); });

  CHECK(sample.timing.runs_in_batch == 100);
  CHECK(sample.timing.of_one_run.count == 15);
  CHECK(backend.runs * 2e-3 > 6);
  CHECK(backend.runs * 2e-3 < 7.5);
}

TEST_CASE("measure: a kernel with wrong results is never timed") {
  ToyBackend backend{Trouble::verify};

  CHECK(measured(backend).failure == "wrong: result 0 is 1, not 2");
  CHECK(backend.runs == 0);
}

TEST_CASE("measure: what fails gives a sample that says why") {
  ToyBackend without_memory{Trouble::prepare};
  ToyBackend broken{Trouble::run};

  CHECK(measured(without_memory).failure == "not enough memory");
  CHECK(measured(broken).failure == "out of order");
}

}  // namespace
}  // namespace roofcast
