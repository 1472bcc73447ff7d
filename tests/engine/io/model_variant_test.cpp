#include "engine/io/model_variant.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/decide/estimate.hpp"

namespace roofcast {
namespace {

const std::filesystem::path models = std::filesystem::path(ROOFCAST_SOURCE_DIR) / "models";

Result<Graph> load(const std::string& text, const Bindings& symbols = {}) {
  return load_variant(text, models / "v.toml", models / "families", symbols);
}

std::string complaint(const std::string& text) {
  const auto graph = load(text);
  REQUIRE_FALSE(graph.has_value());
  std::string message = to_string(graph.error().front());
  return message.substr(message.find("v.toml"));
}

TEST_CASE("is_variant: files without operators of their own") {
  CHECK(is_variant("schema = 1\nname = \"v\"\nvariant_of = \"vgg16\"\n"));
  CHECK(is_variant("schema = 1\nname = \"v\"\n[config]\nmodel_type = \"gpt2\"\n"));
  CHECK_FALSE(is_variant("schema = 1\nname = \"v\"\n[config]\n[[node]]\nname = \"a\"\n"));
  CHECK_FALSE(is_variant("schema = 1\nname = \"v\"\n"));
  CHECK_FALSE(is_variant("no toml"));
}

TEST_CASE("load_variant: another model at other sizes, which the user may still set") {
  const std::string text =
      "schema = 1\nname = \"v\"\nvariant_of = \"gpt2\"\n[symbols]\nlayers = 2\nffn = \"3 * hidden\"\n";

  const auto graph = load(text);

  REQUIRE(graph.has_value());
  CHECK(graph->name == "v");
  CHECK(graph->file == (models / "v.toml").string());
  const auto summary = summarize(*graph);
  REQUIRE(summary.has_value());
  constexpr std::int64_t h = 768;
  constexpr std::int64_t layer =
      (4 + 2 * 3) * h * h + (3 + 1 + 3 + 1 + 4) * h;  // products, then biases and norms
  CHECK(summary->parameters == (50257 + 1024) * h + 2 * layer + 2 * h);
  CHECK(summarize(*graph, {{"layers", 3}})->parameters == summary->parameters + layer);
}

TEST_CASE("load_variant: a configuration in TOML is a configuration") {
  const auto graph = load(
      "schema = 1\nname = \"v\"\n[config]\nmodel_type = \"gpt2\"\nn_layer = 2\nn_embd = 64\nn_head = 4\n"
      "vocab_size = 100\nn_positions = 32\n");

  REQUIRE(graph.has_value());
  CHECK(graph->name == "v");
  const auto summary = summarize(*graph);
  REQUIRE(summary.has_value());
  CHECK(summary->parameters == (100 + 32) * 64 + 2 * (12 * 64 * 64 + 13 * 64) + 2 * 64);
}

TEST_CASE("load_variant: symbols of a family may be redefined") {
  const std::string config =
      "[config]\nmodel_type = \"gpt2\"\nn_layer = 2\nn_embd = 64\nn_head = 4\nvocab_size = 100\nn_positions "
      "= 32\n";

  const auto graph = load("schema = 1\nname = \"v\"\n[symbols]\nseq = \"max_positions / 2\"\n" + config);

  REQUIRE(graph.has_value());
  const auto seq = std::ranges::find(graph->symbols, "seq", &Symbol::name);
  REQUIRE(seq != graph->symbols.end());
  CHECK(to_string(seq->definition) == "(max_positions / 2)");
  CHECK(complaint("schema = 1\nname = \"v\"\n[symbols]\nsequ = 8\n" + config) ==
        "v.toml:4:8: error: 'gpt2' has no symbol 'sequ'\n  hint: did you mean 'seq'?");
}

TEST_CASE("load_variant: mistakes have their place in the variant's file") {
  const std::string start = "schema = 1\nname = \"v\"\nvariant_of = ";
  CHECK(complaint(start + "\"vgg61\"\n[symbols]\n") ==
        "v.toml:3:14: error: unknown model 'vgg61'\n  hint: did you mean 'vgg16'?");
  CHECK(complaint(start + "\"vgg19\"\n[symbols]\n")
            .starts_with("v.toml:3:14: error: 'vgg19' is a variant itself"));
  CHECK(complaint(start + "\"vgg16\"\n[symbols]\ndepht_1 = 1\n")
            .starts_with(
                "v.toml:5:11: error: 'vgg16' has no symbol 'depht_1'\n  hint: did you mean 'depth_1'?"));
  CHECK(complaint(start + "\"vgg16\"\n[symbols]\ndepth_1 = \"2 * dept_2\"\n")
            .starts_with("v.toml:5:11: error: unknown symbol 'dept_2'"));
  CHECK(complaint(start + "\"vgg16\"\n[symbol]\n").starts_with("v.toml"));
  CHECK(complaint(start + "\"vgg16\"\n[symbols]\n[config]\n").starts_with("v.toml:5"));
}

}  // namespace
}  // namespace roofcast
