#pragma once
// Random cards, runtimes and priors within what exists.

#include <doctest/doctest.h>

#include <random>
#include <string_view>
#include <vector>

#include "engine/predict.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {

/// Priors that keep the toy's tile of a single value: what is a law only within a tile's size is exact.
/// Nothing draws power. Laws of real tiles and priors are in kernel_law_test.cpp.
inline Priors random_priors(std::mt19937_64& random) {
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>{low, high}(random);
  };
  const auto share = [&] { return between(0.1, 1); };
  const auto spread = [&] { return Spread{between(0.5, 1), between(1, 2)}; };
  Priors priors = toy_priors();
  const auto change = [&](GemmParameters& gemm) {
    gemm.peak_share = share();
    gemm.bandwidth_share = share();
    gemm.launch_us = between(0, 10);
    gemm.overlap = between(1.2, 12);
    gemm.ramp_us = between(0, 3);
    gemm.spread = spread();
  };
  for (GemmParameters& gemm : priors.kernels.gemm) change(gemm);
  for (ConvolutionParameters& convolution : priors.kernels.convolution) {
    change(convolution.product);
    convolution.implicit_share = share();
    convolution.winograd_share = share();
    convolution.fused_winograd_share = share();
    convolution.transform_share = share();
    convolution.copied_share = share();
    convolution.depthwise_share = share();
    convolution.launch_us = between(0, 10);
    convolution.spread = spread();
  }
  AttentionParameters& attention = priors.kernels.attention;
  attention.forward_share = share();
  attention.backward_share = share();
  attention.bandwidth_share = share();
  attention.imbalance = share();
  attention.launch_us = between(0, 10);
  attention.spread = spread();
  for (StreamParameters& stream : priors.kernels.stream) {
    stream.bandwidth_share = share();
    stream.operations_share = share();
    stream.launch_us = between(0, 10);
    stream.spread = spread();
  }
  priors.kernels.gather.bandwidth_share = share();
  priors.kernels.cache = {.resident_share = share(), .l2_bytes_per_clock = between(0, 128)};
  priors.memory_spread = between(0, 0.2);
  return priors;
}

inline Platform random_platform(std::mt19937_64& random) {
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>{low, high}(random);
  };
  Platform platform = toy_platform();
  platform.device.sm_count = static_cast<int>(between(10, 150));
  platform.device.boost_clock = megahertz(between(1000, 2600));
  platform.device.tensor_clock = megahertz(between(1000, platform.device.boost_clock.value / 1e6));
  platform.device.bandwidth = gigabytes_per_second(between(200, 8000));
  platform.device.usable = gibibytes(between(4, 192));
  platform.runtime.host = {.call = microseconds(between(0, 20)),
                           .training_call = microseconds(between(0, 5)),
                           .backward_call = microseconds(between(0, 20)),
                           .launch = microseconds(between(0, 5)),
                           .optimizer_tensor = microseconds(between(0, 3)),
                           .step = microseconds(between(0, 50))};
  platform.runtime.latency = microseconds(between(0, 10));
  platform.runtime.gap = microseconds(between(0, 2));
  platform.runtime.replays = between(0, 1) < 0.3;
  platform.runtime.spread = between(1, 1.5);
  platform.runtime.context = mebibytes(between(100, 700));
  platform.runtime.fused_attention = between(0, 1) < 0.7;
  platform.priors = random_priors(random);
  return platform;
}

/// Everything that one evaluation says.
struct Outcome {
  Prediction prediction{};
  CompiledProgram program{};
  std::vector<std::int64_t> slots{};

  double macs() const { return value(program.macs); }
  double forward_macs() const { return value(program.forward_macs); }
  double parameters() const { return value(program.parameters); }
  double value(Slot slot) const { return static_cast<double>(slots[static_cast<std::size_t>(slot)]); }
  double seconds() const { return prediction.time.p50.count(); }
  double needed() const { return prediction.memory.needed.value; }
};

struct Setting {
  Task task = Task::inference;
  std::string_view precision = "fp32";
  Optimizer optimizer = Optimizer::adamw;
  Bindings symbols{};
};

inline Outcome run(const Graph& graph, const Platform& platform, const Setting& setting = {}) {
  auto compiled = compile(graph, CompileOptions{.task = setting.task,
                                                .precision = *find_precision(setting.precision),
                                                .runtime = platform.runtime,
                                                .optimizer = setting.optimizer,
                                                .overridden = setting.symbols});
  INFO("complaint: ", compiled ? std::string("none") : to_string(compiled.error()));
  REQUIRE(compiled.has_value());
  Evaluator evaluator(*compiled, platform.device, platform.runtime, platform.priors);
  auto prediction = evaluator.evaluate(setting.symbols);
  INFO("complaint: ", prediction ? std::string("none") : to_string(prediction.error()));
  REQUIRE(prediction.has_value());
  auto slots = slot_values(*compiled, setting.symbols).value();
  return {.prediction = *prediction, .program = *std::move(compiled), .slots = std::move(slots)};
}

/// Each of the usual ways to run a model.
inline const std::vector<Setting>& all_settings() {
  static const std::vector<Setting> all = {{Task::inference, "fp32"},
                                           {Task::inference, "bf16"},
                                           {Task::inference, "int8"},
                                           {Task::training, "fp32"},
                                           {Task::training, "amp-fp16"}};
  return all;
}

}  // namespace roofcast
