#include <doctest/doctest.h>

#include "tests/engine/ops/toy_node.hpp"

namespace roofcast {
namespace {

using Steps = std::vector<std::string>;

const Expr n = sym("n");

// 8 query heads of 64, keys and values of `kv_heads` heads, 128 queries and 256 keys.
ToyNode attention(std::int64_t kv_heads = 8, bool causal = false) {
  return {"attention",
          {real({n, 128, 8 * 64}), real({n, 256, kv_heads * 64}), real({n, 256, kv_heads * 64})},
          attributes({{"heads", Expr{8}}, {"kv_heads", Expr{kv_heads}}, {"causal", causal}})};
}

TEST_CASE("attention: the result is queries by head values, not queries by keys") {
  CHECK(attention().output() == Shape{n, 128, 8 * 64});
  CHECK(attention(2).output() == Shape{n, 128, 8 * 64});
  CHECK(attention().output(1) == Shape{n, 8, 128});  // log-sum-exp per query
  CHECK(attention().constraints().empty());
}

TEST_CASE("attention: counts both products for each query head") {
  CHECK(attention().kernels().at(0).macs == n * Expr{2 * 8 * 128 * 256 * 64});
  CHECK(attention(2).kernels().at(0).macs == n * Expr{2 * 8 * 128 * 256 * 64});
  CHECK(attention().kernels().at(0).operations == n * Expr{5 * 8 * 128 * 256});
}

TEST_CASE("attention: by definition a causal one multiplies as much") {
  CHECK(attention(8, true).kernels().at(0).macs == attention(8, false).kernels().at(0).macs);
  CHECK(std::get<Attention<Expr>>(attention(8, true).kernels().at(0).form).causal);
}

TEST_CASE("attention: never writes the scores") {
  const ToyNode node = attention();
  const auto kernels = node.kernels();

  REQUIRE(kernels.size() == 1);
  CHECK(node.read(kernels[0]) == n * Expr{8 * 64} * Expr{128 + 256 + 256});
  CHECK(node.written(kernels[0]) == n * Expr{128 * 8 * 64 + 8 * 128});
  CHECK(kernels[0].workspace_bytes.is(0));
}

TEST_CASE("attention: shared heads read fewer keys and values") {
  const ToyNode shared = attention(2);

  CHECK(shared.read(shared.kernels().at(0)) == n * Expr{128 * 8 * 64 + 2 * 256 * 2 * 64});
}

TEST_CASE("attention: values may have a size of their own") {
  const ToyNode node{"attention",
                     {real({n, 128, 8 * 192}), real({n, 128, 8 * 192}), real({n, 128, 8 * 128})},
                     attributes({{"heads", Expr{8}}})};

  CHECK(node.output() == Shape{n, 128, 8 * 128});
  CHECK(node.kernels().at(0).macs == n * Expr{8 * 128 * 128} * Expr{192 + 128});
}

TEST_CASE("attention: a bias stretches over batch and heads and is read once") {
  const ToyNode node{"attention",
                     {real({n, 16, 64}), real({n, 16, 64}), real({n, 16, 64}), real({1, 8, 16, 16})},
                     attributes({{"heads", Expr{8}}})};

  CHECK(node.constraints().empty());
  CHECK(node.read(node.kernels().at(0)) == n * Expr{3 * 16 * 64} + Expr{8 * 16 * 16});
}

TEST_CASE("attention: heads must divide what they share") {
  const auto constraints = [](std::int64_t heads, std::int64_t kv_heads, std::int64_t key_size) {
    return ToyNode{"attention",
                   {real({n, 16, 64}), real({n, 16, key_size}), real({n, 16, key_size})},
                   attributes({{"heads", Expr{heads}}, {"kv_heads", Expr{kv_heads}}})}
        .constraints();
  };

  CHECK(constraints(8, 4, 32).empty());
  CHECK(constraints(5, 5, 64) == Steps{"4 = 0: 'node': queries do not divide into 'heads'",
                                       "4 = 0: 'node': keys do not divide into 'kv_heads'",
                                       "4 = 0: 'node': values do not divide into 'kv_heads'"});
  CHECK(constraints(8, 3, 24) == Steps{"2 = 0: 'node': 'heads' is no multiple of 'kv_heads'"});
  CHECK(constraints(8, 4, 64) == Steps{"16 = 8: 'node': queries and keys have different head sizes"});
}

TEST_CASE("attention: keys and values go together") {
  const ToyNode node{"attention",
                     {real({n, 16, 64}), real({sym("m"), 16, 64}), real({n, 17, 64})},
                     attributes({{"heads", Expr{8}}})};

  CHECK(node.constraints() == Steps{"n = m: 'node': queries and keys have different batch sizes",
                                    "m = n: 'node': keys and values have different batch sizes",
                                    "16 = 17: 'node': keys and values have different lengths"});
}

TEST_CASE("attention: inputs have three dimensions") {
  CHECK(ToyNode("attention", {real({n, 16, 64}), real({n, 16, 8, 8}), real({n, 16, 64})},
                attributes({{"heads", Expr{8}}}))
            .complaint() ==
        "m.toml:3:1: error: 'node': input 2 must be [batch, length, heads * head_size], not [n, 16, 8, 8]\n");
}

// 1 query, or `queries`, over 4096 keys of 2 heads.
ToyNode windowed(const Expr& window, std::int64_t queries = 1) {
  return {"attention",
          {real({n, queries, 8 * 64}), real({n, 4096, 2 * 64}), real({n, 4096, 2 * 64})},
          attributes({{"heads", Expr{8}}, {"kv_heads", Expr{2}}, {"causal", true}, {"window", window}})};
}

TEST_CASE("attention: under a window a query meets and reads only its keys") {
  const ToyNode node = windowed(Expr{1024});
  const auto kernels = node.kernels();

  CHECK(kernels.at(0).macs == n * Expr{2 * 8 * 1 * 1024 * 64});
  CHECK(node.read(kernels[0]) == n * Expr{8 * 64 + 2 * 1024 * 2 * 64});
  CHECK(std::get<Attention<Expr>>(kernels[0].form).window == Expr{1024});
}

TEST_CASE("attention: several queries read all keys that one of them sees") {
  const ToyNode node = windowed(Expr{1024}, 16);
  const auto kernels = node.kernels();

  CHECK(kernels.at(0).macs == n * Expr{2 * 8 * 16 * 1024 * 64});
  CHECK(node.read(kernels[0]) == n * Expr{16 * 8 * 64 + 2 * (1024 + 15) * 2 * 64});
}

TEST_CASE("attention: a window longer than the keys changes nothing, and one of 0 is none") {
  for (const Expr& window : {Expr{5000}, Expr{0}, sym("w")}) {
    const ToyNode node = windowed(window);
    const auto kernels = node.kernels();
    const Bindings at{{"n", 3}, {"w", 0}};

    CHECK(kernels.at(0).macs.evaluate(at).value() == 3 * 2 * 8 * 1 * 4096 * 64);
    CHECK(node.read(kernels[0]).evaluate(at).value() == 3 * (8 * 64 + 2 * 4096 * 2 * 64));
  }
}

TEST_CASE("attention: one backward step for queries, keys and values, and the bias if there is one") {
  CHECK(attention().gradient() ==
        Steps{"attention_backward(input 0, input 1, input 2, output 0, output 1, gradient 0) -> "
              "input 0, input 1, input 2"});
  const ToyNode biased{"attention",
                       {real({n, 16, 64}), real({n, 16, 64}), real({n, 16, 64}), real({1, 8, 16, 16})},
                       attributes({{"heads", Expr{8}}})};
  CHECK(biased.gradient() ==
        Steps{"attention_backward(input 0, input 1, input 2, output 0, output 1, gradient 0, input 3) -> "
              "input 0, input 1, input 2, input 3"});
}

TEST_CASE("attention_backward: four products, and a fifth that is recomputed") {
  const ToyNode node{"attention_backward",
                     {real({n, 128, 512}), real({n, 256, 512}), real({n, 256, 512}), real({n, 128, 512}),
                      real({n, 8, 128}), real({n, 128, 512})},
                     attributes({{"heads", Expr{8}}})};
  const auto kernels = node.kernels();

  CHECK(kernels.at(0).macs == n * Expr{4 * 8 * 128 * 256 * 64});
  CHECK(kernels[0].recomputed_macs == n * Expr{1 * 8 * 128 * 256 * 64});
  CHECK(node.written(kernels[0]) == n * Expr{128 * 512 + 2 * 256 * 512});
  CHECK(kernels[0].workspace_bytes == n * Expr{128 * 512 * 4});
}

TEST_CASE("rotary: keeps the shape, and heads must divide it") {
  const ToyNode node{"rotary", {real({n, 16, 64})}, attributes({{"head_size", Expr{8}}})};

  CHECK(node.output() == Shape{n, 16, 64});
  CHECK(node.constraints().empty());
  CHECK(node.gradient() == Steps{"rotary(gradient 0) -> input 0"});
  CHECK(ToyNode("rotary", {real({n, 16, 64})}, attributes({{"head_size", Expr{5}}})).constraints() ==
        Steps{"4 = 0: 'node': the last dimension is no multiple of 'head_size'"});
}

}  // namespace
}  // namespace roofcast
