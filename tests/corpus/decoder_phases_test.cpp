// Our causal language models in their phases, against what follows from their sizes.

#include <doctest/doctest.h>

#include "engine/graph/serving_phase.hpp"
#include "engine/io/read_file.hpp"
#include "tests/laws/random_platform.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

struct Decoder {
  std::string name{};
  std::int64_t layers = 0, hidden = 0, kv_width = 0, vocab = 0;
};

const std::vector<Decoder> decoders = {{"gpt2", 12, 768, 768, 50257},
                                       {"gpt2-xl", 48, 1600, 1600, 50257},
                                       {"llama-2-7b", 32, 4096, 4096, 32000},
                                       {"llama-3-8b", 32, 4096, 1024, 128256}};

Graph model(const std::string& name) {
  const auto text = read_text(std::string(ROOFCAST_SOURCE_DIR) + "/models/" + name + ".toml");
  REQUIRE(text.has_value());
  return load(*text);
}

TEST_CASE("decoders: prefill multiplies what a forward pass does, less the logits of all positions but one") {
  for (const Decoder& decoder : decoders) {
    CAPTURE(decoder.name);
    const Graph graph = model(decoder.name);
    const Outcome forward = run(graph, toy_platform(), {.symbols = {{"batch", 2}, {"seq", 300}}});
    const Outcome prefill =
        run(*in_phase(graph, "prefill"), toy_platform(), {.symbols = {{"batch", 2}, {"prompt", 300}}});

    CHECK(prefill.macs() ==
          forward.macs() - static_cast<double>(2 * (300 - 1) * decoder.hidden * decoder.vocab));
    CHECK(prefill.parameters() == forward.parameters());
  }
}

TEST_CASE("decoders: a token multiplies each weight once and each cached value once") {
  for (const Decoder& decoder : decoders) {
    CAPTURE(decoder.name);
    const Graph decode = *in_phase(model(decoder.name), "decode");
    const auto macs = [&](std::int64_t context) {
      return run(decode, toy_platform(), {.symbols = {{"context", context}}}).macs();
    };

    CHECK(macs(501) - macs(500) == static_cast<double>(2 * decoder.layers * decoder.hidden));
  }
}

TEST_CASE("decoders: bytes of the cache for a token") {
  for (const Decoder& decoder : decoders) {
    CAPTURE(decoder.name);
    const Outcome outcome = run(*in_phase(model(decoder.name), "decode"), toy_platform(),
                                {.precision = "bf16", .symbols = {{"batch", 3}, {"context", 511}}});

    CHECK(outcome.prediction.memory[MemoryCategory::kv_cache].value ==
          static_cast<double>(3 * 512 * 2 * decoder.layers * decoder.kv_width * 2));
  }
}

// vLLM's start-up log for this model in bf16: 16 tokens a block, 131,072 bytes a token.
TEST_CASE("decoders: Llama 3 8B keeps 131,072 bytes a token") {
  const Outcome outcome = run(*in_phase(model("llama-3-8b"), "decode"), toy_platform(),
                              {.precision = "bf16", .symbols = {{"context", 0}}});

  CHECK(outcome.prediction.memory[MemoryCategory::kv_cache].value == 131072);
}

TEST_CASE("decoders: Llama 2 7B in 4 bits and groups of 128") {
  const Outcome outcome = run(model("llama-2-7b"), toy_platform(), {.precision = "w4a16"});
  const double inner = 32.0 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008);
  const double rest = 6738415616.0 - inner;

  CHECK(outcome.value(outcome.program.weight_bytes) == inner * (0.5 + 20.0 / 128 / 8) + 2 * rest);
  CHECK(outcome.value(outcome.program.weight_bytes) == doctest::Approx(3.9e9).epsilon(0.01));
}

}  // namespace
}  // namespace roofcast
