// Counts: large ones, shared ones, proportional ones.

#include <doctest/doctest.h>

#include "tests/laws/random_graph.hpp"
#include "tests/laws/random_platform.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20260715;

TEST_CASE("law: a tied table counts once, untied twice") {
  const auto model = [](std::string_view more) {
    return model_head() + input("tokens", "\"batch\", 4", "int64") +
           node("table", "embedding", "\"tokens\"", "num_embeddings = 1000\nembedding_dim = 64") +
           node("head", "linear", {}, fmt::format("out_features = 1000\nbias = false\n{}", more));
  };
  for (const Setting& setting : all_settings()) {
    CAPTURE(setting.precision);
    const Outcome tied = run(load(model("weights_of = \"table\"")), toy_platform(), setting);
    const Outcome untied = run(load(model("")), toy_platform(), setting);
    CHECK(tied.parameters() == 1000.0 * 64);
    CHECK(untied.parameters() == 2 * 1000.0 * 64);
    CHECK(tied.macs() == untied.macs());
    CHECK(tied.needed() < untied.needed());
  }
}

TEST_CASE("law: 2^33 elements are no fewer than they are") {
  const std::int64_t elements = std::int64_t{1} << 33;
  const std::string text = model_head(fmt::format("batch = {}", elements / 16)) +
                           input("x", "\"batch\", 16") +
                           node("fc", "linear", {}, "out_features = 16\nbias = false") + node("act", "relu");

  const Outcome outcome = run(load(text), toy_platform());
  const auto count = static_cast<double>(elements);

  CHECK(outcome.macs() == count * 16);
  CHECK(outcome.value(outcome.program.input_bytes) == count * 4);
  CHECK(outcome.prediction.memory[MemoryCategory::activations].value == 2 * count * 4);
  CHECK(outcome.prediction.memory.fits == Fit::no);
  CHECK(outcome.seconds() > 2 * count * 4 / 1e12);
}

TEST_CASE("law: a table of 2^33 values, and its training state") {
  const std::string text =
      model_head() + input("tokens", "\"batch\"", "int64") +
      node("table", "embedding", "\"tokens\"", "num_embeddings = 134217728\nembedding_dim = 64");
  const double count = 134217728.0 * 64;

  const Outcome outcome = run(load(text), toy_platform(), {.task = Task::training});

  CHECK(outcome.parameters() == count);
  CHECK(outcome.prediction.memory[MemoryCategory::weights].value == 4 * count);
  CHECK(outcome.prediction.memory[MemoryCategory::gradients].value == 4 * count);
  CHECK(outcome.prediction.memory[MemoryCategory::optimizer_state].value == 8 * count);
}

TEST_CASE("law: doubling a symbol doubles what is linear in it and quadruples what is quadratic") {
  const std::string text = model_head("batch = 3\nseq = 5\nhidden = 8\nlayers = 4") +
                           input("x", "\"batch\", \"seq\", \"hidden\"") +
                           node("deep", "layer", "\"x\"", "repeat = \"layers\"") + block("layer") +
                           block_node("fc", "linear", "\"x\"", "out_features = \"hidden\"\nbias = false");
  const auto with = [&](const char* symbol, std::int64_t value) {
    return run(load(text), toy_platform(), {.symbols = {{symbol, value}}});
  };
  const Outcome once = run(load(text), toy_platform());

  CHECK(once.macs() == 4.0 * 3 * 5 * 8 * 8);
  CHECK(with("batch", 2 * 3).macs() == 2 * once.macs());
  CHECK(with("seq", 2 * 5).macs() == 2 * once.macs());
  CHECK(with("layers", 2 * 4).macs() == 2 * once.macs());
  CHECK(with("hidden", 2 * 8).macs() == 4 * once.macs());
  CHECK(with("layers", 2 * 4).parameters() == 2 * once.parameters());
  CHECK(with("hidden", 2 * 8).parameters() == 4 * once.parameters());
  CHECK(with("seq", 2 * 5).parameters() == once.parameters());
}

TEST_CASE("law: repeats of random models multiply, they do not add") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 30; ++i) {
    const std::string text = RandomModel(random).sequence_model();
    INFO("seed ", seed, ", model ", i, "\n", text);
    const Graph graph = load(text);
    const auto macs = [&](std::int64_t layers) {
      return run(graph, toy_platform(), {.symbols = {{"layers", layers}}}).macs();
    };
    // At most two levels of repeats: a parabola through three points holds for a fourth.
    CHECK(macs(5) - 3 * macs(4) + 3 * macs(3) - macs(2) == 0);
  }
}

TEST_CASE("law: counts do not depend on the card or the precision") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    const Graph graph = load(RandomModel(random).any());
    Platform platform = random_platform(random);
    platform.runtime.fused_attention = true;
    INFO("seed ", seed, ", model ", i);
    const Outcome reference = run(graph, toy_platform());
    for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8", "int8"}) {
      CAPTURE(precision);
      const Outcome outcome = run(graph, platform, {.precision = precision});
      CHECK(outcome.macs() == reference.macs());
      CHECK(outcome.parameters() == reference.parameters());
    }
  }
}

}  // namespace
}  // namespace roofcast
