#include "engine/io/load_runtime.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

struct Lines {
  std::string convolutions{};  // the whole line
  std::string attention = "\"unfused\"";
  std::string call = "6";
  std::string spread = "1.2";
};

std::string runtime_file(const Lines& lines = {}) {
  return fmt::format(
      "schema = 1\ntitle = \"Toy\"\nattention = {}\nelementwise = \"fused\"\nsubmission = \"graph\"\n"
      "context_mib = 512\nspread = {}\n{}"
      "[host]\ncall_us = {}\ntraining_call_us = 3\nbackward_call_us = 8\nlaunch_us = 2\noptimizer_tensor_us "
      "= 1.5\n"
      "step_us = 30\nspread = 2\n[device]\nlatency_us = 7\ngap_us = 0\n"
      "[sources]\nattention = \"a\"\nelementwise = \"b\"\nsubmission = \"c\"\nhost = \"d\"\ndevice = \"e\"\n"
      "context_mib = \"f\"\nspread = \"g\"\n",
      lines.attention, lines.spread, lines.convolutions, lines.call);
}

std::string complaint(const Lines& lines) {
  const auto runtime = load_runtime(runtime_file(lines), "r/toy.toml");
  return runtime ? "no mistakes" : to_string(runtime.error());
}

TEST_CASE("load_runtime: mechanisms by name, costs in units") {
  const auto runtime = load_runtime(runtime_file(), "r/toy.toml");

  REQUIRE(runtime.has_value());
  CHECK(runtime->name == "toy");
  CHECK(runtime->title == "Toy");
  CHECK_FALSE(runtime->fused_attention);
  CHECK(runtime->fuses_elementwise);
  CHECK(runtime->replays);
  CHECK(as_microseconds(runtime->host.call) == close_to(6));
  CHECK(as_microseconds(runtime->host.training_call) == close_to(3));
  CHECK(as_microseconds(runtime->host.backward_call) == close_to(8));
  CHECK(as_microseconds(runtime->host.launch) == close_to(2));
  CHECK(as_microseconds(runtime->host.optimizer_tensor) == close_to(1.5));
  CHECK(as_microseconds(runtime->host.step) == close_to(30));
  CHECK(runtime->host.spread == 2);
  CHECK(as_microseconds(runtime->latency) == close_to(7));
  CHECK(runtime->gap.count() == 0);
  CHECK(runtime->spread == 1.2);
  CHECK(as_gibibytes(runtime->context) == 0.5);
}

TEST_CASE("load_runtime: an unknown kind of attention is a mistake") {
  CHECK(complaint({.attention = "\"flash\""}) ==
        "r/toy.toml:3:13: error: unknown attention 'flash'\n"
        "  hint: write \"fused\" or \"unfused\": one kernel, or matmul, softmax, matmul\n");
  CHECK(complaint({.attention = "1"}) ==
        "r/toy.toml:3:13: error: 'attention' must be a string, not an integer\n");
}

TEST_CASE("load_runtime: what convolutions take in may be left out, and needs a source") {
  CHECK_FALSE(load_runtime(runtime_file(), "r/toy.toml")->folds_into_convolutions);
  CHECK(complaint({.convolutions = "convolutions = \"folded\"\n"}).find("'sources.convolutions'") !=
        std::string::npos);
  CHECK(complaint({.convolutions = "convolutions = \"alone\"\n"}).find("write \"folded\" or \"single\"") !=
        std::string::npos);
}

TEST_CASE("load_runtime: costs are microseconds up to a second") {
  CHECK(complaint({.call = "0"}) == "no mistakes");
  CHECK(complaint({.call = "-1"}) ==
        "r/toy.toml:9:11: error: 'call_us' must be between 0 and 1000000, not -1\n");
  CHECK(complaint({.call = "nan"}) ==
        "r/toy.toml:9:11: error: 'call_us' must be between 0 and 1000000, not nan\n");
}

TEST_CASE("load_runtime: a spread is a factor") {
  CHECK(complaint({.spread = "1"}) == "no mistakes");
  CHECK(complaint({.spread = "0.9"}) ==
        "r/toy.toml:7:10: error: 'spread' must be at least 1, not 0.9\n"
        "  hint: it is a factor: 80% of times lie within [p50 / spread, p50 * spread]\n");
}

}  // namespace
}  // namespace roofcast
