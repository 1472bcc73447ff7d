// Any text as a model file: it is refused with messages, or all of it can be counted and predicted.

#include <cstdint>
#include <string_view>

#include "engine/decide/estimate.hpp"
#include "engine/io/load_model.hpp"
#include "engine/predict.hpp"

namespace {

roofcast::Device toy_device() {
  roofcast::Device device{.slug = "toy", .name = "toy", .sm_count = 1};
  device.boost_clock = device.tensor_clock = roofcast::megahertz(1000);
  device.operations_per_clock_per_sm.fill(256.0);
  device.usable = device.capacity = roofcast::gibibytes(8);
  device.bandwidth = roofcast::gigabytes_per_second(500);
  return device;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer hands over bytes; the loaders read characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto graph = roofcast::load_model(text, "fuzz.toml");
  if (!graph) {
    if (roofcast::to_string(graph.error()).empty()) __builtin_trap();  // a refusal has a message
    return 0;
  }
  static const roofcast::Device device = toy_device();
  static const roofcast::Runtime runtime{.name = "toy"};
  static const roofcast::Priors priors{};
  (void)roofcast::summarize(*graph);
  for (const roofcast::Task task : {roofcast::Task::inference, roofcast::Task::training}) {
    const auto compiled = roofcast::compile(*graph, {.task = task, .runtime = runtime});
    if (!compiled) continue;
    roofcast::Evaluator evaluator(*compiled, device, runtime, priors);
    const auto prediction = evaluator.evaluate(roofcast::Bindings{});
    if (prediction && !(prediction->time.p50.count() >= 0)) __builtin_trap();
  }
  return 0;
}
