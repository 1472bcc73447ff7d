// Attention, and what transformers are made of.

#include <doctest/doctest.h>

#include "tests/laws/random_graph.hpp"
#include "tests/laws/random_platform.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20260714;

struct Sizes {
  std::int64_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, head_size = 1;
};

std::string attention(const Sizes& sizes, bool causal) {
  const auto operand = [&](const char* name, std::int64_t length, std::int64_t heads) {
    return input(name, fmt::format("\"batch\", {}, {}", length, heads * sizes.head_size));
  };
  return model_head(fmt::format("batch = {}", sizes.batch)) + operand("q", sizes.queries, sizes.heads) +
         operand("k", sizes.keys, sizes.kv_heads) + operand("v", sizes.keys, sizes.kv_heads) +
         node("attention", "attention", "\"q\", \"k\", \"v\"",
              fmt::format("heads = {}\nkv_heads = {}\ncausal = {}", sizes.heads, sizes.kv_heads, causal));
}

Sizes random_sizes(std::mt19937_64& random) {
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random);
  };
  const std::int64_t kv_heads = pick(1, 4);
  const std::int64_t length = pick(1, 2000);
  return {pick(1, 8),     kv_heads * pick(1, 4), kv_heads, length, pick(0, 1) == 0 ? length : pick(1, 2000),
          8 * pick(1, 16)};
}

TEST_CASE("law: causal attention is never slower than full attention, and never less than half of it") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100; ++i) {
    const Sizes sizes = random_sizes(random);
    const Platform platform = random_platform(random);
    Platform fused = platform;
    fused.runtime.fused_attention = true;
    INFO("seed ", seed, ", round ", i);
    const double full = run(load(attention(sizes, false)), fused).seconds();
    const double causal = run(load(attention(sizes, true)), fused).seconds();
    CHECK(causal <= full * (1 + 1e-12));
    CHECK(causal >= 0.5 * full);
  }
}

TEST_CASE("law: shared heads never read more key and value bytes") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    Sizes shared = random_sizes(random);
    Sizes own = shared;
    own.kv_heads = own.heads;
    INFO("seed ", seed, ", round ", i);
    const Outcome few = run(load(attention(shared, false)), toy_platform());
    const Outcome many = run(load(attention(own, false)), toy_platform());
    CHECK(few.value(few.program.input_bytes) <= many.value(many.program.input_bytes));
    CHECK(few.value(few.program.kernels.at(0).bytes_read) <=
          many.value(many.program.kernels.at(0).bytes_read));
    CHECK(few.macs() == many.macs());
    CHECK(few.value(few.program.input_bytes) ==
          4.0 * static_cast<double>(shared.batch * shared.head_size *
                                    (shared.heads * shared.queries + 2 * shared.kv_heads * shared.keys)));
  }
}

TEST_CASE("law: the output of attention is queries by head sizes, not queries by keys") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const Sizes sizes = random_sizes(random);
    INFO("seed ", seed, ", round ", i);
    const Outcome outcome = run(load(attention(sizes, false)), toy_platform());
    const double rows = static_cast<double>(sizes.batch * sizes.heads * sizes.queries);
    CHECK(outcome.value(outcome.program.kernels.at(0).bytes_written) ==
          4 * rows * static_cast<double>(sizes.head_size + 1));
    CHECK(outcome.macs() == 2 * rows * static_cast<double>(sizes.keys * sizes.head_size));
  }
}

double bytes_moved(const Outcome& outcome) {
  double total = 0;
  for (const CompiledKernel& kernel : outcome.program.kernels)
    total += outcome.value(kernel.count) *
             (outcome.value(kernel.bytes_read) + outcome.value(kernel.bytes_written));
  return total;
}

TEST_CASE("law: written out, attention multiplies the same and moves more") {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const Sizes sizes = random_sizes(random);
    Platform unfused = toy_platform();
    unfused.runtime.fused_attention = false;
    INFO("seed ", seed, ", round ", i);
    const Outcome fused = run(load(attention(sizes, false)), toy_platform());
    const Outcome written_out = run(load(attention(sizes, false)), unfused);
    CHECK(written_out.macs() == fused.macs());
    CHECK(bytes_moved(written_out) > bytes_moved(fused));
  }
}

constexpr int batch = 2;
constexpr int length = 16;
constexpr int hidden = 32;

std::string linear(std::string_view name, int features, std::string_view inputs = {},
                   std::string_view more = {}) {
  return block_node(name, "linear", inputs,
                    fmt::format("out_features = {}\nbias = false\n{}", features, more));
}

std::string repeated(const std::string& body) {
  return model_head(fmt::format("batch = {}", batch)) +
         input("x", fmt::format("\"batch\", {}, {}", length, hidden)) +
         node("encoder", "layer", "\"x\"", "repeat = 6") + block("layer") + body;
}

TEST_CASE("law: an encoder layer counts all of its products") {
  const std::string text = repeated(
      linear("q", hidden, "\"x\"") + linear("k", hidden, "\"x\"") + linear("v", hidden, "\"x\"") +
      block_node("attention", "attention", "\"q\", \"k\", \"v\"", "heads = 4") + linear("out", hidden) +
      linear("up", 4 * hidden) + block_node("act", "gelu") + linear("down", hidden));
  const double rows = batch * length;

  CHECK(run(load(text), toy_platform()).macs() ==
        6 * (4 * rows * hidden * hidden + 2 * rows * length * hidden + 2 * rows * hidden * 4 * hidden));
}

TEST_CASE("law: SwiGLU has three matrices") {
  constexpr int wide = 48;
  const std::string text =
      repeated(linear("gate", wide, "\"x\"") + block_node("act", "silu") + linear("up", wide, "\"x\"") +
               block_node("product", "mul", "\"act\", \"up\"") + linear("down", hidden));

  const Outcome outcome = run(load(text), toy_platform());

  CHECK(outcome.parameters() == 6 * 3.0 * hidden * wide);
  CHECK(outcome.macs() == 6 * 3.0 * batch * length * hidden * wide);
}

}  // namespace
}  // namespace roofcast
