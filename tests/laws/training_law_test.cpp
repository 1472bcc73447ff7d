// What a training step is made of.

#include <doctest/doctest.h>

#include "tests/laws/random_graph.hpp"
#include "tests/laws/random_platform.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20260713;

TEST_CASE("law: a chain of linear layers multiplies twice as much backward, less the first input gradient") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    std::uniform_int_distribution<int> size{1, 64};
    const int batch = size(random);
    int width = size(random);
    std::string text =
        model_head(fmt::format("batch = {}", batch)) + input("x", fmt::format("\"batch\", {}", width));
    double forward = 0;
    double first = 0;
    for (int layer = 0; layer < 5; ++layer) {
      const int next = size(random);
      text += node(fmt::format("fc{}", layer), "linear", {}, fmt::format("out_features = {}", next));
      forward += 1.0 * batch * width * next;
      if (layer == 0) first = 1.0 * batch * width * next;
      width = next;
    }
    INFO("seed ", seed, ", model ", i, "\n", text);
    const Outcome outcome = run(load(text), toy_platform(), {.task = Task::training});
    CHECK(outcome.forward_macs() == forward);
    CHECK(outcome.macs() == forward + 2 * forward - first);
  }
}

TEST_CASE("law: a chain of convolutions multiplies twice as much backward, less the first input gradient") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    std::uniform_int_distribution<int> size{1, 8};
    int channels = 4 * size(random);
    std::string text = model_head("batch = 3") + input("x", fmt::format("\"batch\", {}, 32, 32", channels));
    double forward = 0;
    double first = 0;
    int side = 32;
    for (int layer = 0; layer < 4; ++layer) {
      const int next = 4 * size(random);
      const int groups = layer % 2 == 0 ? 1 : 4;
      const int stride = layer == 2 ? 2 : 1;
      side /= stride;
      text += node(fmt::format("conv{}", layer), "conv", {},
                   fmt::format("out_channels = {}\nkernel = 3\npadding = 1\nstride = {}\ngroups = {}", next,
                               stride, groups));
      const double macs = 3.0 * next * side * side * (channels / groups) * 3 * 3;
      forward += macs;
      if (layer == 0) first = macs;
      channels = next;
    }
    INFO("seed ", seed, ", model ", i, "\n", text);
    const Outcome outcome = run(load(text), toy_platform(), {.task = Task::training});
    CHECK(outcome.forward_macs() == forward);
    CHECK(outcome.macs() == forward + 2 * forward - first);
  }
}

TEST_CASE("law: attention multiplies twice as much backward") {
  const std::string text = model_head() + input("x", "\"batch\", 16, 8") +
                           node("first", "linear", "\"x\"", "out_features = 8") +
                           node("attention", "attention", "\"first\", \"first\", \"first\"", "heads = 2");
  const double attention = 2.0 * 2 * 2 * 16 * 16 * 4;
  const double linear = 2.0 * 16 * 8 * 8;

  const Outcome outcome = run(load(text), toy_platform(), {.task = Task::training});

  CHECK(outcome.forward_macs() == linear + attention);
  CHECK(outcome.macs() == linear + attention + linear + 2 * attention);
}

TEST_CASE("law: gradients of all parameters, once each, in fp32") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 60; ++i) {
    const std::string text = RandomModel(random).any();
    INFO("seed ", seed, ", model ", i, "\n", text);
    for (const char* precision : {"fp32", "amp-fp16"}) {
      CAPTURE(precision);
      const Outcome outcome =
          run(load(text), toy_platform(), {.task = Task::training, .precision = precision});
      CHECK(outcome.value(outcome.program.weight_bytes) >= 4 * outcome.parameters());
      double gradients = 0;
      for (const MemoryEvent& event : outcome.program.memory) {
        CHECK_FALSE(
            (event.kind == MemoryEvent::Kind::release && event.account == MemoryEvent::Account::gradient));
      }
      // What is there at the end: the optimizer step sees every gradient.
      std::vector<double> level{0};
      std::vector<double> repeats{1};
      for (const MemoryEvent& event : outcome.program.memory) {
        const double size = outcome.value(event.slot);
        if (event.kind == MemoryEvent::Kind::region_begin) {
          level.push_back(0);
          repeats.push_back(size);
        } else if (event.kind == MemoryEvent::Kind::region_end) {
          const double all = level.back() * repeats.back();
          level.pop_back();
          repeats.pop_back();
          level.back() += all;
        } else if (event.kind == MemoryEvent::Kind::allocate &&
                   event.account == MemoryEvent::Account::gradient) {
          level.back() += size;
        }
      }
      gradients = level.back();
      CHECK(gradients == 4 * outcome.parameters());
    }
  }
}

TEST_CASE("law: when weights dominate, the peak holds all gradients") {
  const std::string text = model_head("batch = 1") + input("x", "\"batch\", 512") +
                           node("a", "linear", {}, "out_features = 512") +
                           node("b", "linear", {}, "out_features = 512");

  const Outcome outcome = run(load(text), toy_platform(), {.task = Task::training});

  CHECK(outcome.prediction.memory[MemoryCategory::gradients].value == 4 * outcome.parameters());
}

TEST_CASE("law: an optimizer keeps 0, 4 or 8 bytes a parameter") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    const Graph graph = load(RandomModel(random).any());
    INFO("seed ", seed, ", model ", i);
    const auto state = [&](Optimizer optimizer, std::string_view precision) {
      const Outcome outcome = run(graph, toy_platform(),
                                  {.task = Task::training, .precision = precision, .optimizer = optimizer});
      return outcome.prediction.memory[MemoryCategory::optimizer_state].value / outcome.parameters();
    };
    for (const char* precision : {"fp32", "amp-bf16"}) {
      CHECK(state(Optimizer::sgd, precision) == 0);
      CHECK(state(Optimizer::momentum, precision) == 4);
      CHECK(state(Optimizer::adam, precision) == 8);
      CHECK(state(Optimizer::adamw, precision) == 8);
    }
  }
}

TEST_CASE("law: inference has no gradients and no optimizer state") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    const Outcome outcome = run(load(RandomModel(random).any()), toy_platform());
    INFO("seed ", seed, ", model ", i);
    CHECK(outcome.prediction.memory[MemoryCategory::gradients].value == 0);
    CHECK(outcome.prediction.memory[MemoryCategory::optimizer_state].value == 0);
    CHECK(outcome.macs() == outcome.forward_macs());
  }
}

TEST_CASE("law: training takes longer and needs more than inference") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 60; ++i) {
    const Graph graph = load(RandomModel(random).any());
    const Platform platform = random_platform(random);
    INFO("seed ", seed, ", model ", i);
    const Outcome inference = run(graph, platform);
    const Outcome training = run(graph, platform, {.task = Task::training, .optimizer = Optimizer::sgd});
    CHECK(training.seconds() > 1.5 * inference.seconds());  // products of a gradient may fit the card better
    CHECK(training.needed() > inference.needed());
    CHECK(training.macs() >= 2 * inference.macs());
    CHECK(training.macs() <= 3 * inference.macs());
    CHECK(training.parameters() == inference.parameters());
  }
}

}  // namespace
}  // namespace roofcast
