#include <doctest/doctest.h>

#include "engine/decide/estimate.hpp"
#include "engine/decide/symbols.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

const std::string text = model_head("batch = 2\nhidden = 8\nffn = \"4 * hidden\"") +
                         input("x", "\"batch\", \"hidden\"") + input("ids", "\"batch\"", "int64") +
                         node("a", "linear", "\"x\"", "out_features = \"ffn\"") + node("act", "relu") +
                         node("b", "linear", {}, "out_features = \"hidden\"\nbias = false");

TEST_CASE("summarize: counts, symbols and shapes at the symbols' values") {
  const auto summary = summarize(load(text));

  REQUIRE(summary.has_value());
  CHECK(summary->parameters == 8 * 32 + 32 + 32 * 8);
  CHECK(summary->macs == 2 * (8 * 32 + 32 * 8));
  CHECK(summary->flops == 2 * summary->macs);
  CHECK(summary->activation_elements == 2 * (32 + 8));
  CHECK(summary->other_operations == 2 * 32 + 2 * 32);  // bias, relu
  CHECK(summary->nodes == 3);
  CHECK(summary->symbols.size() == 3);
  CHECK(summary->inputs ==
        std::vector<std::pair<std::string, std::string>>{{"x", "2x8:real"}, {"ids", "2:int64"}});
  CHECK(summary->outputs == std::vector<std::pair<std::string, std::string>>{{"b", "2x8:real"}});
  CHECK(summary->operators == std::vector<std::pair<std::string, std::int64_t>>{{"linear", 2}, {"relu", 1}});
}

TEST_CASE("summarize: derived symbols follow, or are replaced") {
  CHECK(summarize(load(text), {{"hidden", 3}})->parameters == 3 * 12 + 12 + 12 * 3);
  CHECK(summarize(load(text), {{"ffn", 5}})->parameters == 8 * 5 + 5 + 5 * 8);
}

TEST_CASE("summarize: tied weights count once, statistics apart") {
  const std::string tied =
      model_head() + input("tokens", "\"batch\", 4", "int64") +
      node("table", "embedding", "\"tokens\"", "num_embeddings = 100\nembedding_dim = 8") +
      node("head", "linear", {}, "out_features = 100\nbias = false\nweights_of = \"table\"");
  const std::string norm = model_head() + input("x", "\"batch\", 8, 4") + node("norm", "batch_norm", "\"x\"");

  CHECK(summarize(load(tied))->parameters == 100 * 8);
  CHECK(summarize(load(norm))->parameters == 2 * 8);
  CHECK(summarize(load(norm))->statistics == 2 * 8);
}

TEST_CASE("summarize: repeated blocks count as often as they run") {
  const auto summary = summarize(load(model_head() + input("x", "\"batch\", 8") +
                                      node("deep", "layer", "\"x\"", "repeat = 5") + block("layer") +
                                      block_node("fc", "linear", "\"x\"", "out_features = 8\nbias = false")));

  CHECK(summary->parameters == 5 * 8 * 8);
  CHECK(summary->nodes == 5);
  CHECK(summary->operators == std::vector<std::pair<std::string, std::int64_t>>{{"linear", 5}});
}

TEST_CASE("all_symbols: defaults, then what follows from them") {
  const auto values = all_symbols(load(text).symbols, {{"hidden", 3}});

  CHECK(*values == Bindings{{"batch", 2}, {"ffn", 12}, {"hidden", 3}});
}

TEST_CASE("all_symbols: a definition that overflows names its symbol and place") {
  const auto values = all_symbols(load(text).symbols, {{"hidden", std::int64_t{1} << 62}});

  REQUIRE_FALSE(values.has_value());
  CHECK(to_string(values.error()) == "m.toml:7:7: error: symbol 'ffn': '4*hidden' overflows 64 bits\n");
}

TEST_CASE("summarize: of experts a token needs only those that it goes to") {
  const std::string sizes = "experts = 8\ntop_k = 2\n";
  const auto summary = summarize(
      load(model_head() + input("x", "\"batch\", 64") + node("router", "router", "\"x\"", sizes) +
           node("up", "expert_linear", "\"x\", \"router\"", sizes + "out_features = 16\nspread = true")));

  REQUIRE(summary.has_value());
  CHECK(summary->parameters == 8 * 64 + 8 * 64 * 16);
  CHECK(summary->parameters_active == 8 * 64 + 2 * 64 * 16);
}

}  // namespace
}  // namespace roofcast
