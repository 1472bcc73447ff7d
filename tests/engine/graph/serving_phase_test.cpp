#include "engine/graph/serving_phase.hpp"

#include <doctest/doctest.h>

#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

using Names = std::vector<std::string>;

Graph decoder() {
  return load(model_head("batch = 1\nseq = 16\npast = 0\nprompt = 100\ncontext = 500", "tokens = \"seq\"") +
              "[phase.prefill]\nseq = \"prompt\"\n[phase.decode]\nseq = 1\npast = \"context\"\ntokens = 1\n" +
              input("x", "\"batch\", \"seq\"") + node("act", "relu", "\"x\""));
}

std::string definition(const Graph& graph, std::string_view name) {
  for (const Symbol& symbol : graph.symbols) {
    if (symbol.name == name) return to_string(symbol.definition);
  }
  return "none";
}

TEST_CASE("phases_of: all of the model's in its order, or those asked for") {
  CHECK(*phases_of(decoder(), {}) == Names{"prefill", "decode"});
  CHECK(*phases_of(decoder(), {"decode"}) == Names{"decode"});
  CHECK(*phases_of(decoder(), {"forward", "decode"}) == Names{"forward", "decode"});
}

TEST_CASE("phases_of: a model without phases has its forward pass") {
  const Graph plain = load(model_head() + input("x", "\"batch\", 8") + node("act", "relu", "\"x\""));

  CHECK(*phases_of(plain, {}) == Names{"forward"});
  CHECK(to_string(phases_of(plain, {"decode"}).error()) ==
        "error: model 'net' has no phase 'decode'\n  hint: it has forward\n");
}

TEST_CASE("phases_of: unknown phases are named, all at once") {
  CHECK(to_string(phases_of(decoder(), {"decod", "x"}).error()) ==
        "error: model 'net' has no phase 'decod'\n  hint: did you mean 'decode'?\n"
        "error: model 'net' has no phase 'x'\n  hint: it has prefill, decode, forward\n");
}

TEST_CASE("deciding_phase: decode, or else the last") {
  CHECK(deciding_phase({"decode", "prefill"}) == "decode");
  CHECK(deciding_phase({"encode", "score"}) == "score");
}

TEST_CASE("in_phase: redefines the phase's symbols and leaves the others") {
  const Graph prefill = *in_phase(decoder(), "prefill");
  const Graph decode = *in_phase(decoder(), "decode");

  CHECK(definition(prefill, "seq") == "prompt");
  CHECK(definition(prefill, "past") == "0");
  CHECK(definition(decode, "seq") == "1");
  CHECK(definition(decode, "past") == "context");
  CHECK(definition(*in_phase(decoder(), "forward"), "seq") == "16");
}

TEST_CASE("in_phase: a phase may say its tokens") {
  CHECK(to_string(*in_phase(decoder(), "prefill")->tokens) == "seq");
  CHECK(to_string(*in_phase(decoder(), "decode")->tokens) == "1");
}

TEST_CASE("in_phase: what a phase defines cannot be set") {
  CHECK(to_string(in_phase(decoder(), "prefill", {{"seq", 8}, {"prompt", 8}}).error()) ==
        "error: symbol 'seq' of model 'net' is prompt in phase 'prefill'\n"
        "  hint: set prompt, or take `--phase forward`, which leaves all symbols as they are\n");
  CHECK(to_string(in_phase(decoder(), "decode", {{"seq", 8}}).error()) ==
        "error: symbol 'seq' of model 'net' is 1 in phase 'decode'\n"
        "  hint: take `--phase forward`, which leaves all symbols as they are\n");
  CHECK(in_phase(decoder(), "decode", {{"context", 8}}).has_value());
  CHECK(in_phase(decoder(), "forward", {{"seq", 8}}).has_value());
}

}  // namespace
}  // namespace roofcast
