#include "engine/decide/batch_search.hpp"

#include <doctest/doctest.h>

#include "tests/toy_model.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// 1 MiB of input and 1 MiB of result a sample on a card of 8192 MiB: 4096 samples.
const std::string text = model_head("batch = 1\nwidth = 262144") + input("x", "\"batch\", \"width\"") +
                         node("act", "relu", "\"x\"");

Result<std::int64_t> largest(const std::string& model, const Priors& priors = toy_priors(),
                             const Bindings& symbols = {}) {
  const auto compiled = compile(load(model), CompileOptions{.overridden = symbols});
  REQUIRE(compiled.has_value());
  const Device device = toy_device();
  const Runtime runtime = toy_runtime();
  Evaluator evaluator(*compiled, device, runtime, priors);
  return largest_batch(evaluator, symbols);
}

TEST_CASE("largest_batch: fits, and one more does not") {
  const auto compiled = compile(load(text), CompileOptions{});
  const Device device = toy_device();
  const Runtime runtime = toy_runtime();
  const Priors priors = toy_priors();
  Evaluator evaluator(*compiled, device, runtime, priors);

  const auto batch = largest_batch(evaluator, {});

  REQUIRE(batch.has_value());
  CHECK(*batch == 8192 / 2);
  CHECK(evaluator.memory({{"batch", *batch}})->fits == Fit::yes);
  CHECK(evaluator.memory({{"batch", *batch + 1}})->fits == Fit::no);
}

TEST_CASE("largest_batch: keeps the reserve free") {
  Priors priors = toy_priors();
  priors.memory_spread = 1.0;

  CHECK(*largest(text, priors) == 8192 / 2 / 2);
}

TEST_CASE("largest_batch: any number, not only powers of two") {
  CHECK(*largest(text, toy_priors(), {{"width", 3 * 262144}}) == 8192 / 6);
}

TEST_CASE("largest_batch: 1 when only that fits, 0 when not even that does") {
  CHECK(*largest(text, toy_priors(), {{"width", 4096LL * 262144}}) == 1);
  CHECK(*largest(text, toy_priors(), {{"width", 4097LL * 262144}}) == 0);
}

TEST_CASE("largest_batch: a model whose memory does not grow ends the search") {
  const std::string constant = model_head("batch = 1") + input("x", "16") + node("act", "relu", "\"x\"");

  CHECK(*largest(constant) >= std::int64_t{1} << 40);
}

TEST_CASE("largest_batch: a mistake in the model is an error") {
  const auto result = largest(model_head("batch = 1") + input("x", "\"batch\", 8") +
                              node("a", "reshape", "\"x\"", "shape = [\"batch\", 9]"));

  REQUIRE_FALSE(result.has_value());
  CHECK(to_string(result.error()) ==
        "m.toml:11:8: error: 'a': [batch, 8] and [batch, 9] have different numbers of elements: 8 and 9 "
        "(8*batch with batch = 1; 9*batch with batch = 1)\n");
}

TEST_CASE("batch_grid: powers of two up to the largest, and the largest itself") {
  CHECK(batch_grid(1) == std::vector<std::int64_t>{1});
  CHECK(batch_grid(8) == std::vector<std::int64_t>{1, 2, 4, 8});
  CHECK(batch_grid(9) == std::vector<std::int64_t>{1, 2, 4, 8, 9});
  CHECK(batch_grid(15) == std::vector<std::int64_t>{1, 2, 4, 8, 15});
  CHECK(batch_grid(0).empty());
}

}  // namespace
}  // namespace roofcast
