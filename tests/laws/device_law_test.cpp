// What a better card may never make worse.

#include <doctest/doctest.h>

#include "tests/laws/fast_convolution.hpp"
#include "tests/laws/random_graph.hpp"
#include "tests/laws/random_platform.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20260710;

template <class Check>
void for_random_models(int count, const Check& check) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) {
    const std::string text = RandomModel(random).any();
    const Platform platform = random_platform(random);
    const Setting& setting = all_settings()[static_cast<std::size_t>(i) % all_settings().size()];
    INFO("seed ", seed, ", model ", i, ", ", setting.precision, "\n", text);
    check(load(text), platform, setting);
  }
}

TEST_CASE("law: a faster memory is never slower") {
  for_random_models(60, [](const Graph& graph, Platform platform, const Setting& setting) {
    const double before = run(graph, platform, setting).seconds();
    platform.device.bandwidth = platform.device.bandwidth * 1.5;
    CHECK(run(graph, platform, setting).seconds() <= before);
  });
}

TEST_CASE("law: a higher peak is never slower") {
  for_random_models(60, [](const Graph& graph, Platform platform, const Setting& setting) {
    const double before = run(graph, platform, setting).seconds();
    for (auto& rate : platform.device.operations_per_clock_per_sm) {
      if (rate) *rate *= 1.5;
    }
    CHECK(run(graph, platform, setting).seconds() <= before);
  });
}

TEST_CASE("law: more SMs, a higher clock and a faster host are never slower") {
  for_random_models(60, [](const Graph& graph, Platform platform, const Setting& setting) {
    const double before = run(graph, platform, setting).seconds();
    platform.device.sm_count += 7;
    platform.device.boost_clock = platform.device.boost_clock * 1.1;
    platform.device.tensor_clock = platform.device.tensor_clock * 1.1;
    platform.runtime.host.launch *= 0.5;
    platform.runtime.host.call *= 0.5;
    platform.runtime.latency *= 0.5;
    CHECK(run(graph, platform, setting).seconds() <= before);
  });
}

TEST_CASE(
    "law: no kernel beats its card: dense peak at the boost clock, bytes at the bandwidth of the L2 cache") {
  for_random_models(60, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const Outcome outcome = run(graph, platform, setting);
    const TimeModel model = time_model(platform.device, platform.priors);
    const double l2 =
        platform.priors.kernels.cache.l2_bytes_per_clock * model.machine.sms * model.machine.clock.value;
    const BytesPerSecond fastest{std::max(l2, platform.device.bandwidth.value)};
    for (const CompiledKernel& kernel : outcome.program.kernels) {
      const BoundKernel sized = bound(kernel, outcome.slots);
      const KernelTime time = kernel_time(sized, model);
      const auto rate =
          platform.device.operations_per_clock_per_sm[static_cast<std::size_t>(kernel.arithmetic)];
      REQUIRE(rate.has_value());
      const FlopsPerSecond peak{*rate * platform.device.sm_count * platform.device.boost_clock.value};
      const double multiplied = time.executed_macs * least_multiplied(sized, model.machine);
      CHECK(time.total >= Flops{2 * multiplied} / peak);
      CHECK(time.total >= (sized.read + sized.written) / fastest);
    }
  });
}

TEST_CASE("law: more memory on the card changes no time and no need, only whether it fits") {
  for_random_models(30, [](const Graph& graph, Platform platform, const Setting& setting) {
    const Outcome before = run(graph, platform, setting);
    platform.device.usable = platform.device.usable * 2;
    const Outcome after = run(graph, platform, setting);
    CHECK(after.seconds() == before.seconds());
    CHECK(after.needed() == before.needed());
    CHECK(after.prediction.memory.fits <= before.prediction.memory.fits);
  });
}

TEST_CASE("law: the same input has the same output") {
  for_random_models(30, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const Outcome first = run(graph, platform, setting);
    const Outcome second = run(graph, platform, setting);
    CHECK(first.seconds() == second.seconds());
    CHECK(first.needed() == second.needed());
    CHECK(first.slots == second.slots);
  });
}

TEST_CASE("law: times are positive and finite, and the range holds the median") {
  for_random_models(60, [](const Graph& graph, const Platform& platform, const Setting& setting) {
    const TimeRange time = run(graph, platform, setting).prediction.time;
    CHECK(time.p50.count() > 0);
    CHECK(time.p90.count() < 1e6);
    CHECK(time.p10 <= time.p50);
    CHECK(time.p50 <= time.p90);
  });
}

}  // namespace
}  // namespace roofcast
