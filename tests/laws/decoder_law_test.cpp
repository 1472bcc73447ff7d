// Caches, windows and experts: what must hold whatever the sizes.

#include <doctest/doctest.h>

#include "tests/laws/random_graph.hpp"
#include "tests/laws/random_platform.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20261130;

struct Sizes {
  std::int64_t batch = 1, length = 1, past = 0, layers = 1, heads = 1, kv_heads = 1, head_size = 1;
  std::int64_t width() const { return heads * head_size; }
  std::int64_t kv_width() const { return kv_heads * head_size; }
};

Sizes random_sizes(std::mt19937_64& random) {
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random);
  };
  Sizes sizes{
      .batch = between(1, 8), .length = between(1, 40), .past = between(1, 2000), .layers = between(2, 5)};
  sizes.kv_heads = between(1, 4);
  sizes.heads = sizes.kv_heads * between(1, 4);
  sizes.head_size = 8 * between(1, 16);
  return sizes;
}

// Attention layers with a cache and nothing else around them.
std::string decoder(const Sizes& sizes, std::string_view window = "0") {
  const auto projection = [](std::string_view name, std::int64_t features) {
    return block_node(name, "linear", "\"x\"", fmt::format("out_features = {}\nbias = false", features));
  };
  const std::string cache = "past = \"past\"\ncached = \"cached\"";
  return model_head(fmt::format("batch = {}\nlength = {}\npast = 0\ncached = 0", sizes.batch, sizes.length)) +
         input("x", fmt::format("\"batch\", \"length\", {}", sizes.width())) +
         node("layers", "layer", "\"x\"", fmt::format("repeat = {}", sizes.layers)) + block("layer") +
         projection("q", sizes.width()) + projection("k", sizes.kv_width()) +
         projection("v", sizes.kv_width()) + block_node("keys", "kv_cache", "\"k\"", cache) +
         block_node("values", "kv_cache", "\"v\"", cache) +
         block_node("attention", "attention", "\"q\", \"keys\", \"values\"",
                    fmt::format("heads = {}\nkv_heads = {}\ncausal = true\nwindow = {}", sizes.heads,
                                sizes.kv_heads, window));
}

double cache_bytes(const Outcome& outcome) {
  return outcome.prediction.memory[MemoryCategory::kv_cache].value;
}

double bytes_read(const Outcome& outcome) {
  double total = 0;
  for (const CompiledKernel& kernel : outcome.program.kernels)
    total += outcome.value(kernel.count) * outcome.value(kernel.bytes_read);
  return total;
}

TEST_CASE("law: a cache has two vectors a token, layer and sequence, in the type of the precision") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const Sizes sizes = random_sizes(random);
    INFO("seed ", seed, ", round ", i);
    const Graph graph = load(decoder(sizes));
    for (const auto& [precision, bytes] :
         {std::pair{"fp32", 4.0}, std::pair{"bf16", 2.0}, std::pair{"fp8", 2.0}}) {
      const Outcome outcome =
          run(graph, toy_platform(),
              {.precision = precision, .symbols = {{"length", 1}, {"past", sizes.past}, {"cached", 1}}});
      CHECK(cache_bytes(outcome) ==
            static_cast<double>(2 * sizes.layers * sizes.batch * (sizes.past + 1) * sizes.kv_width()) *
                bytes);
    }
  }
}

TEST_CASE("law: a token reads at least the whole cache") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const Sizes sizes = random_sizes(random);
    INFO("seed ", seed, ", round ", i);
    for (const bool fused : {true, false}) {
      Platform platform = toy_platform();
      platform.runtime.fused_attention = fused;
      const Outcome outcome =
          run(load(decoder(sizes)), platform,
              {.precision = "bf16", .symbols = {{"length", 1}, {"past", sizes.past}, {"cached", 1}}});
      CHECK(bytes_read(outcome) >= cache_bytes(outcome));
      CHECK(outcome.seconds() >= cache_bytes(outcome) / platform.device.bandwidth.value);
    }
  }
}

TEST_CASE("law: without a cache the operator is not there") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    const Sizes sizes = random_sizes(random);
    INFO("seed ", seed, ", round ", i);
    std::string without = decoder(sizes);
    for (const auto& [from, to] : {std::pair{"\"keys\", \"values\"", "\"k\", \"v\""}}) {
      without.replace(without.find(from), std::string_view(from).size(), to);
    }
    for (const Setting& setting : all_settings()) {
      CAPTURE(setting.precision);
      const Outcome plain = run(load(without), toy_platform(), setting);
      const Outcome outcome = run(load(decoder(sizes)), toy_platform(), setting);
      CHECK(outcome.macs() == plain.macs());
      CHECK(outcome.seconds() == doctest::Approx(plain.seconds()));
      CHECK(outcome.needed() == plain.needed());
      CHECK(cache_bytes(outcome) == 0);
    }
  }
}

TEST_CASE("law: a cache in a block that repeats is one in each copy of the block") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    const Sizes sizes = random_sizes(random);
    INFO("seed ", seed, ", round ", i);
    const std::string text = decoder(sizes, "100");
    const Setting setting{.precision = "bf16",
                          .symbols = {{"length", 2}, {"past", sizes.past}, {"cached", 1}}};
    const Outcome folded = run(load(text), toy_platform(), setting);
    const Outcome unrolled = run(load_unrolled(text), toy_platform(), setting);
    CHECK(folded.macs() == unrolled.macs());
    CHECK(folded.needed() == unrolled.needed());
    CHECK(folded.seconds() == doctest::Approx(unrolled.seconds()));
  }
}

TEST_CASE("law: token by token the products of a causal square add up to its lower half") {
  constexpr int length = 12;
  const Sizes sizes{.batch = 2, .length = length, .layers = 3, .heads = 4, .kv_heads = 2, .head_size = 8};
  const Graph graph = load(decoder(sizes));
  const auto width = static_cast<double>(sizes.width());
  const auto kv_width = static_cast<double>(sizes.kv_width());
  const double linear = 3.0 * 2 * width * (width + 2 * kv_width);  // a token's, all layers and sequences
  double tokens = 0;
  for (std::int64_t past = 0; past < length; ++past) {
    tokens += run(graph, toy_platform(), {.symbols = {{"length", 1}, {"past", past}, {"cached", 1}}}).macs();
  }
  const double whole = run(graph, toy_platform()).macs();

  CHECK(whole == length * linear + 3.0 * 2 * 2 * length * length * width);
  CHECK(tokens == length * linear + 3.0 * 2 * 2 * (length * (length + 1) / 2) * width);
}

TEST_CASE("law: a window never multiplies or reads more, and from its length on a token costs the same") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    Sizes sizes = random_sizes(random);
    INFO("seed ", seed, ", round ", i);
    const auto token = [&](std::string_view window, std::int64_t past) {
      return run(load(decoder(sizes, window)), toy_platform(),
                 {.precision = "bf16", .symbols = {{"length", 1}, {"past", past}, {"cached", 1}}});
    };
    CHECK(token("64", sizes.past).macs() <= token("0", sizes.past).macs());
    CHECK(bytes_read(token("64", sizes.past)) <= bytes_read(token("0", sizes.past)));
    CHECK(token("64", 63).seconds() == doctest::Approx(token("64", 1000).seconds()));
    CHECK(token("5000", sizes.past).seconds() == doctest::Approx(token("0", sizes.past).seconds()));
  }
}

// A mixture's feed-forward part.
std::string experts(std::int64_t count, std::int64_t top_k, std::int64_t tokens) {
  const std::string sizes = fmt::format("experts = {}\ntop_k = {}\n", count, top_k);
  return model_head("batch = 2") + input("x", fmt::format("\"batch\", {}, 64", tokens)) +
         node("first", "linear", "\"x\"", "out_features = 64\nbias = false") +
         node("router", "router", "\"first\"", sizes) +
         node("up", "expert_linear", "\"first\", \"router\"", sizes + "out_features = 256\nspread = true") +
         node("act", "relu") +
         node("down", "expert_linear", "\"act\", \"router\"", sizes + "out_features = 64") +
         node("out", "combine", "\"down\", \"router\"");
}

TEST_CASE("law: one expert of one is a dense layer") {
  const std::string dense = model_head("batch = 2") + input("x", "\"batch\", 10, 64") +
                            node("first", "linear", "\"x\"", "out_features = 64\nbias = false") +
                            node("up", "linear", {}, "out_features = 256\nbias = false") +
                            node("act", "relu") +
                            node("down", "linear", {}, "out_features = 64\nbias = false");
  const double router_parameters = 64;
  const double router_macs = 2 * 10 * 64;
  for (const Task task : {Task::inference, Task::training}) {
    const Outcome one = run(load(experts(1, 1, 10)), toy_platform(), {.task = task});
    const Outcome layers = run(load(dense), toy_platform(), {.task = task});
    const double passes = task == Task::training ? 3 : 1;  // forward, two gradients
    CHECK(one.parameters() == layers.parameters() + router_parameters);
    CHECK(one.value(one.program.parameters_active) == one.parameters());
    CHECK(one.macs() == layers.macs() + passes * router_macs);
  }
}

TEST_CASE("law: a mixture multiplies by its top k and stores by its experts") {
  const auto router_macs = [](double count) { return 2 * 10 * 64 * count; };
  const double expert = 2 * 64 * 256;
  for (const std::int64_t count : {2, 4, 16}) {
    const Outcome outcome = run(load(experts(count, 2, 10)), toy_platform());
    const auto number = static_cast<double>(count);
    CHECK(outcome.parameters() == 64 * 64 + 64 * number + number * expert);
    CHECK(outcome.value(outcome.program.parameters_active) == 64 * 64 + 64 * number + 2 * expert);
    CHECK(outcome.macs() == 2 * 10 * 64 * 64 + router_macs(number) + 2 * 10 * 2 * expert);
  }
}

TEST_CASE("law: a mixture trains in every precision, and its backward pass multiplies twice as much") {
  const Graph graph = load(experts(8, 2, 10));
  for (const char* precision : {"fp32", "amp-bf16"}) {
    const Outcome outcome = run(graph, toy_platform(), {.task = Task::training, .precision = precision});
    const double first = 2 * 10 * 64 * 64;  // has no input gradient
    CHECK(outcome.macs() == 3 * outcome.forward_macs() - first);
    CHECK(outcome.prediction.memory[MemoryCategory::optimizer_state].value == 8 * outcome.parameters());
  }
}

}  // namespace
}  // namespace roofcast
