#pragma once
// Random cards, runtimes and priors within what exists.

#include <doctest/doctest.h>

#include <random>
#include <string_view>
#include <vector>

#include "engine/predict.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {

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
  platform.runtime.launch = microseconds(between(0, 10));
  platform.runtime.context = mebibytes(between(100, 700));
  platform.runtime.fused_attention = between(0, 1) < 0.7;
  for (Efficiency& efficiency : platform.priors.efficiency) efficiency = {between(0.1, 1), between(0.1, 1)};
  platform.priors.spread = between(1, 2);
  platform.priors.memory_spread = between(0, 0.2);
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
