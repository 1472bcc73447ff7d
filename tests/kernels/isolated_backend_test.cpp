#include "kernels/isolated_backend.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "kernels/measure.hpp"

namespace roofcast {
namespace {

constexpr std::array supported = {SupportedOp{"relu", "fp16"}, SupportedOp{"gemm", "int8"}};

/// The operator says what happens to it.
struct ToyPrepared : Prepared {
  ToyPrepared(const Probe& probe, bool& is_lost) : op(probe.op), chosen(name(probe)), lost(is_lost) {}

  Result<void> verify() override { return lost ? Result<void>(fail("lost before")) : Result<void>{}; }
  Result<Seconds> run(std::int64_t times) override {
    if (op == "crash") ::_exit(1);
    if (op == "hang") std::this_thread::sleep_for(std::chrono::seconds(60));
    if (op == "poison") {
      lost = true;
      return fail("an illegal address");
    }
    return microseconds(3000) * static_cast<double>(times);
  }
  std::string algorithm() const override { return chosen; }

  std::string op{};
  std::string chosen{};  // what has arrived of the probe
  bool& lost;
};

struct ToyBackend : Backend {
  const DeviceFacts& device() const override { return facts; }
  ProbeLimits limits() const override {
    return {.memory = mebibytes(64), .operations = Flops{1e9}, .units = 7, .supported = supported};
  }
  Bytes footprint(const Probe& probe) const override { return Bytes{static_cast<double>(probe.n)}; }
  Result<std::unique_ptr<Prepared>> prepare(const Probe& probe) override {
    if (probe.op == "huge") return fail("not enough memory", {}, "ask for less");
    return std::make_unique<ToyPrepared>(probe, lost);
  }
  std::optional<Hertz> clock_now() override { return megahertz(1500); }
  DeviceCondition condition_now() override { return {.power = Watts{250}, .throttled = true}; }
  bool is_lost() override { return lost; }

  DeviceFacts facts{.name = "toy", .units = 7, .clock = megahertz(1500)};
  bool lost = false;
};

Result<std::unique_ptr<Backend>> open_toy() {
  return std::make_unique<ToyBackend>();
}

Sample measured(Backend& backend, const Probe& probe) {
  const Seconds begin = std::chrono::steady_clock::now().time_since_epoch();
  const TimingRules rules{.warm_up = Seconds{0}, .least_total = Seconds{0}, .cap = Seconds{10}};
  return measure(backend, probe, rules,
                 [begin] { return std::chrono::steady_clock::now().time_since_epoch() - begin; });
}

Sample measured(Backend& backend, const std::string& op) {
  return measured(backend, Probe{.op = op, .m = 2, .n = 5});
}

TEST_CASE("open_isolated: says and measures what the backend in the child does") {
  const auto backend = open_isolated(open_toy);

  REQUIRE(backend);
  CHECK((*backend)->device().name == "toy");
  CHECK((*backend)->limits().units == 7);
  CHECK((*backend)->limits().memory == mebibytes(64));
  REQUIRE((*backend)->limits().supported.size() == 2);
  CHECK((*backend)->limits().supported[1].op == "gemm");
  CHECK((*backend)->limits().supported[1].precision == "int8");
  CHECK((*backend)->footprint({.op = "relu", .n = 5}).value == 5);
  const Sample sample = measured(**backend, "relu");
  CHECK(sample.failure.empty());
  CHECK(as_microseconds(sample.timing.of_one_run.median) == doctest::Approx(3000));
  CHECK(sample.timing.clock == megahertz(1500));
  CHECK(sample.timing.power == Watts{250});
  CHECK(sample.timing.throttled);
  CHECK(sample.algorithm == "relu fp32 2x5 cold");
}

TEST_CASE("open_isolated: all sizes of a probe reach the child") {
  const auto backend = open_isolated(open_toy);
  REQUIRE(backend);
  const std::array probes = {
      Probe{.op = "gemm", .precision = "int8", .m = 2, .n = 5, .k = 7, .residency = Residency::warm},
      Probe{.op = "attention_prefill", .attention = AttentionSizes{2, 3, 5, 8, 4, 64}},
      Probe{.op = "conv2d", .convolution = ConvolutionSizes{2, 3, 5, 7, 11, 13, 17}},
      Probe{.op = "all_reduce", .collective = CollectiveSizes{4096, 8}}};

  for (const Probe& probe : probes) CHECK(measured(**backend, probe).algorithm == name(probe));
}

TEST_CASE("open_isolated: a backend that does not open says why") {
  const auto backend = open_isolated(
      []() -> Result<std::unique_ptr<Backend>> { return fail("no such device", {}, "buy one"); });

  REQUIRE_FALSE(backend);
  CHECK(backend.error().front().message == "no such device");
  CHECK(backend.error().front().hint == "buy one");
}

TEST_CASE("open_isolated: a probe that cannot be prepared leaves the child as it is") {
  const auto backend = open_isolated(open_toy);
  REQUIRE(backend);

  CHECK(measured(**backend, "huge").failure == "not enough memory");
  CHECK(measured(**backend, "relu").failure.empty());
}

TEST_CASE("open_isolated: an error that stays ends its probe only") {
  const auto backend = open_isolated(open_toy);
  REQUIRE(backend);

  CHECK(measured(**backend, "poison").failure == "an illegal address");
  CHECK(measured(**backend, "relu").failure.empty());
  CHECK(measured(**backend, "poison").failure == "an illegal address");
  CHECK(measured(**backend, "gelu").algorithm == "gelu fp32 2x5 cold");
}

TEST_CASE("open_isolated: a child that crashes or hangs ends its probe only") {
  const auto backend = open_isolated(open_toy, Seconds{0.3});
  REQUIRE(backend);

  CHECK(measured(**backend, "crash").failure == "the device's process ended or hung");
  CHECK(measured(**backend, "relu").failure.empty());
  CHECK(measured(**backend, "hang").failure == "the device's process ended or hung");
  CHECK(measured(**backend, "relu").failure.empty());
}

}  // namespace
}  // namespace roofcast
